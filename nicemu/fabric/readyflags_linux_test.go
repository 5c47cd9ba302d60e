package fabric

import (
	"sync"
	"sync/atomic"
	"testing"
)

// parts returns how many parts of the flag arrays this process has mapped.
func (m pageMap) parts() (n int) {
	for part := range uint(64 * len(m)) {
		if m[part/64].Load()&(1<<(part%64)) != 0 {
			n++
		}
	}
	return n
}

// TestFlagsAreMappedAtOnce: a process maps what lies around a flag, and its rest, when it first raises or
// reads it, and nothing a second time.
func TestFlagsAreMappedAtOnce(t *testing.T) {
	const ranks = 3
	file, mine := create(t, ranks)
	theirs, err := Map(file)
	if err != nil {
		t.Fatal(err)
	}
	defer theirs.Close()
	w, into := mine.FlagWriter(2), make([]byte, FlagBytes)
	for seq := uint32(1); seq <= FlagLines; seq++ {
		if !w.Raise(1, seq, 7, make([]byte, FlagInline)) {
			t.Fatal("not raised")
		}
	}
	first, end := (bells(ranks)+FlagFront*ranks*FlagLines)*64, (bells(ranks)+2*FlagFront*ranks*FlagLines)*64 // behind the doorbells and another array
	before, want := mine.pages.parts(), (end-1)/readyBytes-first/readyBytes+1
	if before != want {
		t.Errorf("%d parts are mapped for all flags of an array, want %d", before, want)
	}
	for range 2 {
		if !w.Raise(1, 5, 7, make([]byte, FlagBytes)) {
			t.Fatal("not raised")
		}
		if got := mine.pages.parts() - before; got != len(pieceLines) {
			t.Errorf("%d parts more for the rest of a flag, want one for each of its %d pieces", got, len(pieceLines))
		}
	}
	if n := theirs.pages.parts(); n != 0 {
		t.Errorf("another process has %d parts before it looks", n)
	}
	for range 2 {
		if _, up := theirs.Raised(theirs.Flags(), 1, 2, 5, into); !up {
			t.Fatal("not up")
		}
		if got := theirs.pages.parts(); got != len(pieceLines) {
			t.Errorf("%d parts for the reader of a rest, want %d", got, len(pieceLines))
		}
	}
	last := mine.flags*(FlagFront+restLines) - 1
	mine.readyFlags(last) // up to where the tables begin
	heap, err := Heap(2, Small())
	if err != nil {
		t.Fatal(err)
	}
	if heap.readyFlags(last); heap.pages != nil {
		t.Error("memory of one process is mapped")
	}
}

// TestPartsAreTakenOnce: of several goroutines one maps a part.
func TestPartsAreTakenOnce(t *testing.T) {
	m := make(pageMap, 4)
	var taken atomic.Int32
	var all sync.WaitGroup
	for range 4 {
		all.Go(func() {
			for part := range uint(64 * len(m)) {
				if m.take(part) {
					taken.Add(1)
				}
			}
		})
	}
	if all.Wait(); int(taken.Load()) != 64*len(m) || m.parts() != 64*len(m) {
		t.Errorf("%d parts are taken, and %d marked, of %d", taken.Load(), m.parts(), 64*len(m))
	}
}
