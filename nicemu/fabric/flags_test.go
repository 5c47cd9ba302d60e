package fabric

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/ring"
)

// TestFlagWriter: a flag is seen by its number, whatever was raised before, and an overwritten one
// is detected. An invalid flag is not raised.
func TestFlagWriter(t *testing.T) {
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	w, flags := f.FlagWriter(1), f.Flags()
	for seq := uint32(1); seq < 3*FlagLines; seq++ {
		data := []byte{byte(seq), 1, 2, 3, 4, 5, 6, 7, 8}[:8+seq%2]
		w.Prefetch(2, seq)
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

// heapFlags returns the writer of the flags of rank 1 of 3, and the lines of all ranks.
func heapFlags(t *testing.T) (*Fabric, *FlagWriter, []ring.Line) {
	t.Helper()
	f, err := Heap(3, Small())
	if err != nil {
		t.Fatal(err)
	}
	return f, f.FlagWriter(1), f.Flags()
}

// TestLongFlags: payloads of every length arrive intact, whatever was raised in their place before.
// A reader gets no more than it asks for, and after the payload only bytes of its line.
func TestLongFlags(t *testing.T) {
	f, w, flags := heapFlags(t)
	for n := range FlagBytes + 1 {
		n = n * 101 % (FlagBytes + 1) // short and long ones in turn
		for _, array := range []int{0, 2} {
			seq := uint32(n+1) * FlagLines // the same line again
			data := bytes.Repeat([]byte{byte(n), byte(n >> 8), byte(array), 7, 5}, FlagBytes)[:n]
			if !w.Raise(array, seq, 9, data) || w.Audit() != nil {
				t.Fatalf("%d bytes: not raised, or damaged", n)
			}
			for _, wants := range []int{0, 8, n / 2, FlagInline, n, FlagBytes} {
				got := bytes.Repeat([]byte{0xee}, wants)
				both := min(n, wants)
				if mark, up := f.Raised(flags, array, 1, seq, got); !up || mark != 9 || !bytes.Equal(got[:both], data[:both]) {
					t.Fatalf("%d bytes for %d: %v, %x", n, wants, up, got)
				}
				if beyond := got[min(max(both, FlagInline), wants):]; len(bytes.Trim(beyond, "\xee")) > 0 {
					t.Fatalf("%d bytes for %d: behind them %x", n, wants, beyond)
				}
			}
		}
	}
	if used := testing.AllocsPerRun(50, func() { w.Raise(2, FlagLines, 0, make([]byte, FlagBytes)) }); used != 0 {
		t.Errorf("%v allocations", used)
	}
}

// TestForgedFlags: whatever length another process has written, a reader reads only the flag, and
// not its neighbours.
func TestForgedFlags(t *testing.T) {
	f, w, flags := heapFlags(t)
	other := f.FlagWriter(2)
	if !other.Raise(0, 5, 0, bytes.Repeat([]byte{0xdd}, FlagBytes)) || !w.Raise(0, 5, 0, bytes.Repeat([]byte{1}, FlagBytes)) || other.Audit() != nil {
		t.Fatal("not raised, or one over the other")
	}
	l := &flags[f.flagAt(0, 1, 5)]
	for _, n := range []uint64{1, FlagInline - 1, FlagInline, FlagInline + 1, 100, FlagBytes, FlagBytes + 1, 1 << 31, 1 << 63, 1<<64 - 1} {
		l[1] = n
		for _, wants := range []int{FlagInline, FlagInline + 1, 100, FlagBytes, FlagBytes + 500} {
			got := make([]byte, wants)
			if _, up := f.Raised(flags, 0, 1, 5, got); !up || bytes.Contains(got, []byte{0xdd}) {
				t.Errorf("length %d for %d bytes: %v, %x", n, wants, up, got)
			}
		}
	}
}

// TestLongFlagsAreAudited: each word of a flag with a rest is checked, whatever was raised in its
// place since.
func TestLongFlagsAreAudited(t *testing.T) {
	for name, raise := range map[string]func(w *FlagWriter) bool{
		"long": func(w *FlagWriter) bool { return w.Raise(1, 3, 5, make([]byte, 300)) },
		"then short": func(w *FlagWriter) bool {
			return w.Raise(1, 3, 5, make([]byte, 300)) && w.Raise(1, 3+FlagLines, 5, []byte{1})
		},
		"then long": func(w *FlagWriter) bool {
			return w.Raise(1, 3, 5, []byte{1}) && w.Raise(1, 3+FlagLines, 5, bytes.Repeat([]byte{3}, FlagBytes)) && w.Raise(1, 3+2*FlagLines, 5, make([]byte, FlagInline+1))
		},
	} {
		f, w, flags := heapFlags(t)
		if !raise(w) || w.Audit() != nil {
			t.Fatalf("%s: not raised, or damaged", name)
		}
		at := f.flagAt(1, 1, 3)
		for i := -1; i < restLines+moreLines; i++ {
			l := &flags[at]
			if i >= 0 {
				l = f.restLine(flags, at, i)
			}
			for word := range l {
				if l[word] ^= 1 << 40; !errors.Is(w.Audit(), ErrFlag) {
					t.Errorf("%s: word %d of line %d was overwritten unnoticed", name, word, i)
				}
				l[word] ^= 1 << 40
			}
		}
		if w.Audit() != nil {
			t.Errorf("%s: damaged", name)
		}
	}
}
