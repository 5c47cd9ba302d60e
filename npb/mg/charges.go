package mg

import (
	"slices"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// A candidate is a point with its random number, given as the integer state of the generator.
type candidate struct {
	state uint64
	point int64 // i + n*(j + n*k) on the whole grid
}

// extremes holds the candidates with the largest states seen (or, if negated, the smallest), in ascending
// order.
type extremes []candidate

// offer inserts c if it is one of the largest; extremes keeps as many as there are charges.
func (e *extremes) offer(c candidate) {
	s := *e
	if len(s) == charges {
		if c.state <= s[0].state {
			return
		}
		s = slices.Delete(s, 0, 1)
	}
	i, _ := slices.BinarySearchFunc(s, c, func(a, b candidate) int {
		if a.state < b.state {
			return -1
		}
		return 1
	})
	*e = slices.Insert(s, i, c)
}

// localExtremes scans the points of level l, the finest, of n points per axis.
func (l *level) localExtremes(n int) (largest, smallest extremes) {
	for k := range l.own[axisZ] {
		for j := range l.own[axisY] {
			point := int64(l.first[axisX]) + int64(n)*(int64(l.first[axisY]+j)+int64(n)*int64(l.first[axisZ]+k))
			r := nas.NewRandom(seed)
			r.Skip(uint64(point))
			for i := range int64(l.own[axisX]) {
				x := r.Next()
				largest.offer(candidate{x, point + i})
				smallest.offer(candidate{nas.Mask - x, point + i})
			}
		}
	}
	return largest, smallest
}

// findCharges returns the points of the whole grid with the largest and those with the smallest random
// numbers. Collective.
func findCharges(world *mpi.Comm, l *level, n int) (plus, minus []int64, err error) {
	largest, smallest := l.localExtremes(n)
	if plus, err = merge(world, largest); err != nil {
		return nil, nil, err
	}
	minus, err = merge(world, smallest)
	return plus, minus, err
}

// merge returns the points of the largest candidates of all ranks, the largest
// first.
func merge(world *mpi.Comm, local extremes) ([]int64, error) {
	// Every rank owns enough points of the finest grid, or the rest is zero.
	mine := make([]candidate, charges)
	copy(mine, local)
	all := make([]candidate, charges*world.Size())
	if err := mpi.Allgather(world, mine, all); err != nil {
		return nil, err
	}
	var best extremes
	for _, c := range all {
		best.offer(c)
	}
	points := make([]int64, 0, charges)
	for _, c := range slices.Backward(best) {
		points = append(points, c.point)
	}
	return points, nil
}

// place sets v to +1 and -1 at the charges on this rank, and to 0 at all other interior points.
func (l *level) place(v []float64, n int, plus, minus []int64) {
	clear(v)
	for sign, points := range map[float64][]int64{1: plus, -1: minus} {
		for _, p := range points {
			global := [axes]int{int(p % int64(n)), int(p / int64(n) % int64(n)), int(p / int64(n) / int64(n))}
			var at [axes]int
			here := true
			for a, g := range global {
				at[a] = g - l.first[a] + 1
				here = here && at[a] >= 1 && at[a] <= l.own[a]
			}
			if here {
				v[l.at(at[0], at[1], at[2])] = sign
			}
		}
	}
}
