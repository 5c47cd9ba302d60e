package collectives

import (
	"math/bits"
	"slices"
	"testing"
)

// TestInnerTree: for any number of ranks each but the first has one parent, which has
// it among its children. The range of each child, and then of the next one, is adjacent
// to the range so far: so rank order can be kept. No rank has more children, and no
// path is longer, than in the binomial tree.
func TestInnerTree(t *testing.T) {
	for n := 1; n <= 70; n++ {
		most := bits.Len(uint(n - 1))
		parents, children := make([]int, n), make([][]int, n)
		for v := range n {
			parents[v], children[v] = innerTree(v, n)
		}
		var span func(v, depth int) (lo, hi int)
		span = func(v, depth int) (lo, hi int) {
			lo, hi = v, v+1
			if depth > most || len(children[v]) > most {
				t.Fatalf("%d ranks: %d lies %d deep and has %d children", n, v, depth, len(children[v]))
			}
			for _, c := range children[v] {
				if parents[c] != v {
					t.Fatalf("%d ranks: %d is a child of %d, and has the parent %d", n, c, v, parents[c])
				}
				switch l, h := span(c, depth+1); {
				case l == hi && c > v:
					hi = h
				case h == lo && c < v:
					lo = l
				default:
					t.Fatalf("%d ranks: %d, with %d to %d, gets %d to %d from %d", n, v, lo, hi, l, h, c)
				}
			}
			return lo, hi
		}
		if lo, hi := span(0, 0); lo != 0 || hi != n {
			t.Fatalf("%d ranks: %d to %d come together", n, lo, hi)
		}
	}
}

// TestInnerTreeKeepsBothHalvesBusy: half of the ranks that combine at the first level
// are even.
func TestInnerTreeKeepsBothHalvesBusy(t *testing.T) {
	for _, n := range []int{4, 8, 16, 64} {
		even, odd := 0, 0
		for v := range n {
			_, children := innerTree(v, n)
			if !slices.Contains(children, v^1) {
				continue
			}
			if v%2 == 0 {
				even++
			} else {
				odd++
			}
		}
		if even != n/4 || odd != n/4 {
			t.Errorf("%d ranks: %d even ones and %d odd ones combine pairs", n, even, odd)
		}
	}
}
