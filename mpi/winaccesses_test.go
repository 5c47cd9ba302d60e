package mpi

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"testing"
)

// The recorded accesses that share bytes with another one are those that a look at all of them
// finds, whatever has been recorded and forgotten before.
func TestOverlappingAccessesAreFound(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	const room = 20000
	some := func(line int) access {
		n := 1 + r.Uint64N(8)
		if r.IntN(200) == 0 {
			n = 1 + r.Uint64N(room)
		}
		from := r.Uint64N(room)
		return access{from: from, to: from + n, kind: accessKind(r.IntN(2)), line: fmt.Sprint(line)}
	}
	for round := range 4 {
		var l accesses
		for i := range 1600 {
			switch a := some(i % 5); {
			case r.IntN(10) == 0:
				l.addAll([]access{some(6), a, some(6)})
			case r.IntN(1000) == 0:
				l.forget(false)
			default:
				l.add(a)
			}
			a := some(7)
			var want, got []access
			for _, o := range slices.Backward(l.list) {
				if o.from < a.to && o.to > a.from {
					want = append(want, o)
				}
			}
			for o := range l.overlapping(&a) {
				got = append(got, *o)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, access %d: %d overlap %d to %d, want %d", round, i, len(got), a.from, a.to, len(want))
			}
		}
		if len(l.list) < 3*accessBlock {
			t.Fatalf("round %d: only %d accesses", round, len(l.list))
		}
	}
}

// A list of accesses is what inserting each at its index makes, whichever side moves.
func TestAccessesAreInsertedAtTheirIndex(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	for round := range 50 {
		var l accesses
		var want []access
		for i := range 400 {
			at := r.IntN(len(want) + 1)
			switch r.IntN(4) {
			case 0:
				at = 0
			case 1:
				at = len(want)
			}
			a := access{from: uint64(i)}
			l.insert(at, a)
			want = slices.Insert(want, at, a)
			if r.IntN(100) == 0 {
				l.forget(true)
				want = nil
			}
			if !slices.Equal(l.list, want) {
				t.Fatalf("round %d, access %d at %d: the list differs", round, i, at)
			}
		}
	}
}
