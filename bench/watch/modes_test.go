package watch

import "testing"

// For every piece of a job with a flag there is one without the flag.
func TestPiecesInModes(t *testing.T) {
	flags := map[string]map[string]bool{}
	for _, p := range Pieces() {
		if call, flag, ok := inMode(p.Name); ok {
			if flags[call] == nil {
				flags[call] = map[string]bool{}
			}
			flags[call][flag] = true
		}
	}
	if len(flags) != 4 {
		t.Errorf("%v", flags)
	}
	for call, has := range flags {
		for _, flag := range []string{"", "--stats", "--trace", "--check"} {
			if !has[flag] {
				t.Errorf("%s: no piece with %q", call, flag)
			}
		}
	}
	if _, _, ok := inMode("match 32"); ok {
		t.Error("match 32 is not done in modes")
	}
}
