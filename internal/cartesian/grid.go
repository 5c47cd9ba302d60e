// Package cartesian is the arithmetic of Cartesian topologies (MPI 4.1, section 8.5): which rank is where in a grid, and
// how many ranks make a grid of which dimensions.
package cartesian

// A Grid is the shape of a Cartesian topology: as many dimensions as periods. Ranks are numbered with the last
// coordinate fastest. In a periodic dimension the ends are neighbors.
type Grid struct {
	Dims    []int
	Periods []bool
}

// None is a place beyond an end of a grid, where no rank is.
const None = -1

// Size returns the number of ranks.
func (g *Grid) Size() int {
	n := 1
	for _, d := range g.Dims {
		n *= d
	}
	return n
}

// Coords returns the coordinates of a rank.
func (g *Grid) Coords(rank int) []int {
	at := make([]int, len(g.Dims))
	for i := len(g.Dims) - 1; i >= 0; i-- {
		at[i], rank = rank%g.Dims[i], rank/g.Dims[i]
	}
	return at
}

// Rank returns the rank at coordinates, which wrap where the grid is periodic, or None.
func (g *Grid) Rank(at []int) int {
	r := 0
	for i, x := range at {
		d := g.Dims[i]
		if g.Periods[i] {
			x = (x%d + d) % d
		}
		if x < 0 || x >= d {
			return None
		}
		r = r*d + x
	}
	return r
}

// Shift returns the ranks at a distance along a dimension, behind and ahead, or None.
func (g *Grid) Shift(rank, dim, by int) (behind, ahead int) {
	d := g.Dims[dim]
	if g.Periods[dim] {
		by %= d
	}
	by = max(-d, min(by, d)) // any place beyond the ends is like the next
	at := g.Coords(rank)
	x := at[dim]
	at[dim] = x - by
	behind = g.Rank(at)
	at[dim] = x + by
	return behind, g.Rank(at)
}

// Sub returns the grid of the dimensions that are kept, the number of the one that the rank is in, among those of all
// combinations of the other coordinates, and its rank there.
func (g *Grid) Sub(rank int, keep []bool) (sub Grid, number, at int) {
	for i, x := range g.Coords(rank) {
		if keep[i] {
			sub.Dims, sub.Periods = append(sub.Dims, g.Dims[i]), append(sub.Periods, g.Periods[i])
			at = at*g.Dims[i] + x
		} else {
			number = number*g.Dims[i] + x
		}
	}
	return sub, number, at
}
