package ir

import "testing"

// able has every optional ability; each does nothing.
type able struct {
	Board
	Aimer
	Reporter
	Aborter
	Auditor
}

// TestGiveGivesExactly: a wrapped translator has the abilities that it is given
// and no others, whichever they are.
func TestGiveGivesExactly(t *testing.T) {
	var all able
	for has := range 1 << 5 {
		var want Abilities
		if has&1 != 0 {
			want.Board = all
		}
		if has&2 != 0 {
			want.Aimer = all
		}
		if has&4 != 0 {
			want.Reporter = all
		}
		if has&8 != 0 {
			want.Aborter = all
		}
		if has&16 != 0 {
			want.Auditor = all
		}
		got := AbilitiesOf(want.Give(nil))
		for name, same := range map[string]bool{
			"Board": (got.Board != nil) == (want.Board != nil), "Aimer": (got.Aimer != nil) == (want.Aimer != nil),
			"Reporter": (got.Reporter != nil) == (want.Reporter != nil), "Aborter": (got.Aborter != nil) == (want.Aborter != nil),
			"Auditor": (got.Auditor != nil) == (want.Auditor != nil),
		} {
			if !same {
				t.Errorf("set %d: %s: got %+v", has, name, got)
			}
		}
	}
}
