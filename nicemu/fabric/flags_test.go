package fabric

import "testing"

// TestFlagWriter: a flag is seen by its number, whatever was raised before, and one
// that is no longer as it was written is noticed. What is no flag is not raised.
func TestFlagWriter(t *testing.T) {
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	w, flags := f.FlagWriter(1), f.Flags()
	for seq := uint32(1); seq < 3*FlagLines; seq++ {
		data := []byte{byte(seq), 1, 2, 3, 4, 5, 6, 7, 8}[:8+seq%2]
		w.Claim(2, seq)
		if _, up := f.Raised(flags, 2, 1, seq, nil); up || !w.Raise(2, seq, seq+1, data) {
			t.Fatalf("flag %d", seq)
		}
		got := make([]byte, len(data))
		if mark, up := f.Raised(flags, 2, 1, seq, got); !up || mark != seq+1 || string(got) != string(data) {
			t.Errorf("flag %d: %v, mark %d, %v", seq, up, mark, got)
		}
		if _, up := f.Raised(flags, 2, 0, seq, nil); up || w.Audit() != nil {
			t.Errorf("flag %d of another rank, or damaged", seq)
		}
	}
	flags[f.flagAt(2, 1, FlagLines)][5]++
	if w.Audit() == nil {
		t.Error("an overwritten flag is not noticed")
	}
	if w.Raise(2, 0, 0, nil) || w.Raise(-1, 1, 0, nil) || w.Raise(99, 1, 0, nil) || w.Raise(0, 1, 0, make([]byte, FlagBytes+1)) {
		t.Error("raised what is no flag")
	}
	if _, up := f.Raised(flags, 0, 3, 0, nil); up {
		t.Error("a flag of no rank")
	}
}
