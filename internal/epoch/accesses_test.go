package epoch

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
	some := func(line int) Access {
		n := 1 + r.Uint64N(8)
		if r.IntN(200) == 0 {
			n = 1 + r.Uint64N(room)
		}
		from := r.Uint64N(room)
		return Access{From: from, To: from + n, Kind: Kind(r.IntN(2)), Line: fmt.Sprint(line)}
	}
	for round := range 4 {
		var l accesses
		for i := range 1600 {
			switch a := some(i % 5); {
			case r.IntN(10) == 0:
				l.addAll([]Access{some(6), a, some(6)})
			case r.IntN(1000) == 0:
				l.forget(false)
			default:
				l.add(a)
			}
			a := some(7)
			var want, got []Access
			for o := range l.each() {
				if o.From < a.To && o.To > a.From {
					want = append(want, *o)
				}
			}
			slices.Reverse(want)
			for o := range l.overlapping(&a) {
				got = append(got, *o)
			}
			if !slices.Equal(got, want) {
				t.Fatalf("round %d, access %d: %d overlap %d to %d, want %d", round, i, len(got), a.From, a.To, len(want))
			}
		}
		if l.count < 6*blockAccesses {
			t.Fatalf("round %d: only %d accesses", round, l.count)
		}
	}
}

// naiveAdd is accesses.add on a plain list.
func naiveAdd(list []Access, a Access) []Access {
	at := 0
	for at < len(list) && list[at].From <= a.From {
		at++
	}
	if at > 0 {
		if o := &list[at-1]; o.To == a.From && o.like(&a) && !a.summed {
			o.To, o.summed = a.To, false
			return list
		}
	}
	return slices.Insert(list, at, a)
}

// Accesses are what a plain list is, in whatever order they come, and no block is longer than it may be. Those in
// ascending or descending order fill their blocks, others half of them.
func TestAccessesAreThoseOfAPlainList(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 4))
	const n = 10 * blockAccesses
	orders := []struct {
		name string
		from func(i int) uint64
		each int // accesses of a block, at least
	}{
		{"ascending", func(i int) uint64 { return uint64(i) * 8 }, blockAccesses},
		{"descending", func(i int) uint64 { return uint64(n-i) * 8 }, blockAccesses},
		{"random", func(int) uint64 { return r.Uint64N(4*n) * 8 }, blockAccesses / 2},
		{"one location", func(int) uint64 { return 8 }, blockAccesses / 2},
		{"from both ends", func(i int) uint64 { return uint64(i%2*2*n+i*(1-i%2*2)) * 8 }, blockAccesses / 2},
		{"adjacent", func(int) uint64 { return r.Uint64N(n) * 4 }, 1},
	}
	for _, order := range orders {
		var l accesses
		for round, keep := range []bool{false, true, false} {
			var want []Access
			for o := range l.each() { // the writes that the round before has left
				want = append(want, *o)
			}
			for i := range n {
				from := order.from(i)
				a := Access{From: from, To: from + 4, Kind: Kind(i % 2), Line: fmt.Sprint(r.IntN(3)), summed: r.IntN(2) == 0}
				l.add(a)
				want = naiveAdd(want, a)
			}
			var got []Access
			for o := range l.each() {
				got = append(got, *o)
			}
			if !slices.Equal(got, want) || l.count != len(want) {
				t.Fatalf("%s, round %d: the list differs", order.name, round)
			}
			longest := 0
			for _, k := range l.blocks {
				longest = max(longest, len(k.list))
			}
			if most := len(want)/order.each + 1; longest > blockAccesses || round == 0 && len(l.blocks) > most {
				t.Errorf("%s, round %d: %d blocks of up to %d, want %d of up to %d", order.name, round, len(l.blocks), longest, most, blockAccesses)
			}
			l.forget(!keep)
			if want = slices.DeleteFunc(want, func(a Access) bool { return !keep || a.Kind == Gets }); l.count != len(want) {
				t.Fatalf("%s, round %d: %d accesses are left, want %d", order.name, round, l.count, len(want))
			}
		}
	}
}

// An access that others like it have extended is found where they are.
func TestExtendedAccessesAreFound(t *testing.T) {
	var l accesses
	for at := uint64(0); at < 64; at += 8 {
		l.add(Access{From: at, To: at + 8, Kind: Puts})
	}
	for at := range uint64(64) {
		if l.count != 1 || l.conflicting(&Access{From: at, To: at + 1}) == nil {
			t.Errorf("byte %d is not found in %d accesses", at, l.count)
		}
	}
}
