package invariants

import "testing"

func TestCheckPanicsOnlyWhenEnabledAndBroken(t *testing.T) {
	Check(true, "never")
	defer func() {
		if got := recover(); (got != nil) != Enabled {
			t.Fatalf("Enabled=%v, recovered %v", Enabled, got)
		}
	}()
	Check(false, "broken")
}

func TestScrambleOnlyWhenEnabled(t *testing.T) {
	b := []byte{1, 2, 3}
	Scramble(b)
	if changed := b[0] != 1; changed != Enabled {
		t.Fatalf("Enabled=%v, buffer %v", Enabled, b)
	}
}
