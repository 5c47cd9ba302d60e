package cartesian

import (
	"math"
	"slices"
	"testing"

	"pgregory.net/rapid"

	_ "rhinet/internal/rapidseed"
)

// grids draws grids of few dimensions.
func grids(t *rapid.T) *Grid {
	g := &Grid{}
	for range rapid.IntRange(0, 4).Draw(t, "dimensions") {
		g.Dims = append(g.Dims, rapid.IntRange(1, 5).Draw(t, "dim"))
		g.Periods = append(g.Periods, rapid.Bool().Draw(t, "period"))
	}
	return g
}

// Ranks are in the order of their coordinates, the last one fastest (MPI 4.1, section 8.5): as those of nested loops.
func TestRanksAndCoordinates(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grids(t)
		at := make([]int, len(g.Dims))
		for rank := range g.Size() {
			if got := g.Coords(rank); !slices.Equal(got, at) {
				t.Fatalf("%v: rank %d is at %v, want %v", g, rank, got, at)
			}
			if got := g.Rank(at); got != rank {
				t.Fatalf("%v: at %v is rank %d, want %d", g, at, got, rank)
			}
			for i := len(at) - 1; i >= 0; i-- {
				if at[i]++; at[i] < g.Dims[i] {
					break
				}
				at[i] = 0
			}
		}
	})
}

// A shift is as many steps to the next rank, which wrap or end (MPI 4.1, section 8.5.6).
func TestShift(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grids(t)
		if len(g.Dims) == 0 {
			return
		}
		rank, dim, by := rapid.IntRange(0, g.Size()-1).Draw(t, "rank"), rapid.IntRange(0, len(g.Dims)-1).Draw(t, "along"), rapid.IntRange(-12, 12).Draw(t, "by")
		walked := func(step int) int {
			at := g.Coords(rank)
			for range max(by, -by) {
				at[dim] += step
				if over := at[dim] < 0 || at[dim] == g.Dims[dim]; over && !g.Periods[dim] {
					return None
				}
				at[dim] = (at[dim] + g.Dims[dim]) % g.Dims[dim]
			}
			return g.Rank(at)
		}
		ahead := 1
		if by < 0 {
			ahead = -1
		}
		if b, a := g.Shift(rank, dim, by); b != walked(-ahead) || a != walked(ahead) {
			t.Fatalf("%v: rank %d by %d along %d: %d and %d, want %d and %d", g, rank, by, dim, b, a, walked(-ahead), walked(ahead))
		}
	})
}

// The farthest shift is one beyond the ends, or wraps, and no coordinate overflows.
func TestShiftFar(t *testing.T) {
	line, ring := &Grid{[]int{4}, []bool{false}}, &Grid{[]int{4}, []bool{true}}
	for _, by := range []int{math.MinInt, math.MinInt + 1, math.MaxInt - 1, math.MaxInt} {
		if b, a := line.Shift(1, 0, by); b != None || a != None {
			t.Errorf("by %d in a line: %d and %d", by, b, a)
		}
		on := (by%4 + 4) % 4
		if b, a := ring.Shift(1, 0, by); b != (5-on)%4 || a != (1+on)%4 {
			t.Errorf("by %d in a ring: %d and %d, want %d and %d", by, b, a, (5-on)%4, (1+on)%4)
		}
	}
	if r := ring.Rank([]int{math.MinInt}); r != 0 {
		t.Errorf("the coordinate %d is rank %d, want 0", math.MinInt, r)
	}
}

// Ranks that differ only in the dimensions that are kept are in one grid, with the coordinates there that they have in
// these dimensions (MPI 4.1, section 8.5.7).
func TestSub(t *testing.T) {
	rapid.Check(t, func(t *rapid.T) {
		g := grids(t)
		keep := rapid.SliceOfN(rapid.Bool(), len(g.Dims), len(g.Dims)).Draw(t, "keep")
		apart := func(rank int, want bool) (list []int) {
			for i, x := range g.Coords(rank) {
				if keep[i] == want {
					list = append(list, x)
				}
			}
			return list
		}
		numbers := map[int][]int{} // the coordinates that are not kept, of each grid
		for rank := range g.Size() {
			sub, number, at := g.Sub(rank, keep)
			if got, want := sub.Coords(at), apart(rank, true); !slices.Equal(got, want) || at >= sub.Size() {
				t.Fatalf("%v %v: rank %d is at %v of %v, want %v", g, keep, rank, got, sub, want)
			}
			outer := apart(rank, false)
			if before, ok := numbers[number]; ok && !slices.Equal(before, outer) {
				t.Fatalf("%v %v: grid %d is that of %v and of %v", g, keep, number, before, outer)
			}
			numbers[number] = outer
			if len(numbers)*sub.Size() > g.Size() {
				t.Fatalf("%v %v: more than %d grids of %v", g, keep, g.Size()/sub.Size(), sub)
			}
		}
	})
}

// leastSpread tries all factors: the difference between the largest and the smallest of k factors of n at most first.
func leastSpread(n, first, largest, k int) int {
	if k == 1 {
		if n > first {
			return math.MaxInt
		}
		return max(largest, n) - n
	}
	best := math.MaxInt
	for f := 1; f <= min(n, first); f++ {
		if n%f == 0 {
			best = min(best, leastSpread(n/f, f, max(largest, f), k-1))
		}
	}
	return best
}

// No other factors are closer to each other (MPI 4.1, section 8.5.2).
func TestDims(t *testing.T) {
	for n := 1; n <= 400; n++ {
		for k := 1; k <= 4; k++ {
			dims := Dims(n, k)
			size := 1
			for _, d := range dims {
				size *= d
			}
			if !slices.IsSortedFunc(dims, func(a, b int) int { return b - a }) || len(dims) != k || size != n {
				t.Fatalf("%d in %d dimensions: %v", n, k, dims)
			}
			if got, want := dims[0]-dims[k-1], leastSpread(n, n, 0, k); got != want {
				t.Errorf("%d in %d dimensions: %v differ by %d, want %d", n, k, dims, got, want)
			}
		}
	}
	if dims := Dims(1, 0); len(dims) != 0 {
		t.Errorf("no dimensions: %v", dims)
	}
}

// Large numbers are divided at once: primes, powers, and those with many divisors.
func TestDimsOfLargeNumbers(t *testing.T) {
	const prime = 1<<61 - 1
	for _, row := range []struct {
		n, k int
		want []int
	}{
		{prime, 2, []int{prime, 1}},
		{1 << 62, 2, []int{1 << 31, 1 << 31}},
		{1 << 62, 31, slices.Repeat([]int{4}, 31)},
		{4093 * 4093, 2, []int{4093, 4093}},
		{2 * 3 * 5 * 7 * 11 * 13 * 17 * 19 * 23 * 29, 2, []int{81345, 79534}},
	} {
		if got := Dims(row.n, row.k); !slices.Equal(got, row.want) {
			t.Errorf("%d in %d dimensions: %v, want %v", row.n, row.k, got, row.want)
		}
	}
}
