package fabric

import (
	"bytes"
	"errors"
	"testing"

	"rhinet/internal/ring"
)

// TestFlagPlaces: no two sequences of a lap have one place, and none is at a distance from the one before at which
// a processor foresees the next: half a page at most, and the same as the distance before.
func TestFlagPlaces(t *testing.T) {
	const ranks = 2
	taken := make(map[int]bool)
	for seq := uint32(FlagLines - 2); seq < 2*FlagLines; seq++ {
		at, before, third := FlagPlace(seq), FlagPlace(seq-1), FlagPlace(seq-2)
		if seq >= FlagLines {
			if at < 0 || at >= FlagLines || taken[at] {
				t.Errorf("sequence %d has place %d, which is another's or none", seq, at)
			}
			taken[at] = true
		}
		if far := (at - before) * FlagFront * ranks * ring.LineBytes; at-before == before-third && max(far, -far) <= PageBytes/2 {
			t.Errorf("sequences %d to %d lie %d bytes apart", seq-2, seq, far)
		}
		if FlagPlace(seq+FlagLines) != at {
			t.Errorf("sequence %d has another place in the next lap", seq)
		}
	}
}

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
		w.Prefetch(2, seq, int(seq)%(FlagBytes+1))
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

// TestFlagsLieApart: the longest payloads of all flags of the first array have lines of their own.
func TestFlagsLieApart(t *testing.T) {
	f, _, flags := heapFlags(t)
	var all []*FlagWriter
	content := func(rank int, seq uint32) []byte {
		return bytes.Repeat([]byte{byte(rank + 1), byte(seq), byte(seq >> 8)}, FlagBytes)[:FlagBytes]
	}
	for rank := range 3 {
		w := f.FlagWriter(rank)
		for seq := uint32(1); seq <= FlagLines; seq++ {
			if !w.Raise(0, seq, 0, content(rank, seq)) {
				t.Fatal("not raised")
			}
		}
		all = append(all, w)
	}
	got := make([]byte, FlagBytes)
	for rank, w := range all {
		for seq := uint32(1); seq <= FlagLines; seq++ {
			if _, up := f.Raised(flags, 0, rank, seq, got); !up || !bytes.Equal(got, content(rank, seq)) {
				t.Fatalf("flag %d of rank %d: up %v, or with other bytes", seq, rank, up)
			}
		}
		if err := w.Audit(); err != nil {
			t.Errorf("rank %d: %v", rank, err)
		}
	}
}

// TestFlagPairsAreAudited: each word of the line behind a flag's is checked, whatever was raised in its place since,
// and a flag whose payload lies there leaves the pieces alone.
func TestFlagPairsAreAudited(t *testing.T) {
	for name, payloads := range map[string][][]byte{
		"one byte": {bytes.Repeat([]byte{7}, FlagInline+1)}, "all": {bytes.Repeat([]byte{7}, FlagPair)},
		"then short": {make([]byte, 100), {1}}, "then long": {make([]byte, 100), make([]byte, FlagPair+1)},
		"after short": {{1}, make([]byte, 100)}, "after long": {make([]byte, FlagPair+1), make([]byte, 100)},
	} {
		f, w, flags := heapFlags(t)
		long := false
		for i, payload := range payloads {
			long = long || len(payload) > FlagPair
			if !w.Raise(1, 3+uint32(i)*FlagLines, 5, payload) || w.Audit() != nil {
				t.Fatalf("%s: not raised, or damaged", name)
			}
		}
		at := f.flagAt(1, 1, 3)
		for i := range flags {
			if flags[i] != (ring.Line{}) && i != at && i != at+1 && (!long || i < FlagFront*f.flags) {
				t.Errorf("%s: line %d is written, beside %d", name, i, at)
			}
		}
		for word := range flags[at+1] {
			if flags[at+1][word] ^= 1 << 40; !errors.Is(w.Audit(), ErrFlag) {
				t.Errorf("%s: word %d was overwritten unnoticed", name, word)
			}
			flags[at+1][word] ^= 1 << 40
		}
		if w.Audit() != nil {
			t.Errorf("%s: damaged", name)
		}
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
	for _, n := range []uint64{1, FlagInline - 1, FlagInline, FlagInline + 1, 100, FlagPair, FlagPair + 1, FlagBytes, FlagBytes + 1, 1 << 31, 1 << 63, 1<<64 - 1} {
		l[1] = n
		for _, wants := range []int{FlagInline, FlagInline + 1, 100, FlagPair, FlagPair + 1, FlagBytes, FlagBytes + 500} {
			got := make([]byte, wants)
			if _, up := f.Raised(flags, 0, 1, 5, got); !up || bytes.Contains(got, []byte{0xdd}) {
				t.Errorf("length %d for %d bytes: %v, %x", n, wants, up, got)
			}
		}
	}
}

// TestLongFlagsAreAudited: each word of a flag with a rest is checked, whatever was raised in its
// place since; of the last piece of the rest, which is long, if it was written.
func TestLongFlagsAreAudited(t *testing.T) {
	short := pieceStart[len(pieceStart)-1]
	for name, c := range map[string]struct {
		payloads [][]byte // raised in one place
		lines    int      // of the rest that are checked
	}{
		"long":                    {[][]byte{make([]byte, 300)}, short},
		"then short":              {[][]byte{make([]byte, 300), {1}}, short},
		"all pieces but the last": {[][]byte{bytes.Repeat([]byte{3}, FlagInline+short*ring.LineBytes)}, short},
		"a byte of the last":      {[][]byte{bytes.Repeat([]byte{3}, FlagInline+short*ring.LineBytes+1)}, restLines},
		"then long":               {[][]byte{{1}, bytes.Repeat([]byte{3}, 400), bytes.Repeat([]byte{4}, FlagBytes), make([]byte, FlagPair+1)}, restLines},
	} {
		f, w, flags := heapFlags(t)
		for i, payload := range c.payloads {
			if !w.Raise(1, 3+uint32(i)*FlagLines, 5, payload) || w.Audit() != nil {
				t.Fatalf("%s: not raised, or damaged", name)
			}
		}
		at := f.flagAt(1, 1, 3)
		for i := -1; i < c.lines; i++ {
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
