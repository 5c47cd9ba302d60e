package cfd

import "rhinet/npb/nas"

// MinEdge is the smallest edge of a part of the grid: a fourth difference must not
// reach beyond the neighbour.
const MinEdge = 3

// Partition is the multi-partition decomposition of BT and SP (section 2.1): the grid is cut into root^3
// cells. Each of root^2 ranks has root of them, one in every slab of every direction, so that all ranks
// work in every stage of a line solve.
type Partition struct {
	Root       int
	Boxes      []Box    // by z coordinate
	Coord      [][3]int // of the cells
	Succ, Pred [3]int   // ranks of the neighbour cells; all of those in one direction are on one rank
	at         [3][]int
}

// NewPartition returns the cells of rank in a grid with n points to an edge; procs
// is a square.
func NewPartition(n, procs, rank int) Partition {
	p, _ := nas.SquareRoot(procs)
	mod := func(a int) int { return (a%p + p) % p }
	x, y := rank%p, rank/p
	t := Partition{
		Root: p,
		Succ: [3]int{mod(x+1) + p*y, x + p*mod(y+1), mod(x-1) + p*mod(y+1)},
		Pred: [3]int{mod(x-1) + p*y, x + p*mod(y-1), mod(x+1) + p*mod(y-1)},
	}
	for d := range t.at {
		t.at[d] = make([]int, p)
	}
	for z := range p {
		c := [3]int{mod(x + z), mod(y - z), z}
		b := Box{N: n}
		for d := range c {
			b.Low[d], b.Edge[d] = nas.Split(n, p, c[d])
			t.at[d][c[d]] = z
		}
		t.Boxes = append(t.Boxes, b)
		t.Coord = append(t.Coord, c)
	}
	return t
}

// At returns this rank's cell at position s along direction d.
func (t *Partition) At(d, s int) int { return t.at[d][s] }
