package lu

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// Sides of a pencil, as the specification names them: x decreases to the north, y
// to the west.
const (
	north = iota
	south
	west
	east
	sides
)

// pencil is the part of the grid that a rank owns, with its neighbours (section
// 5.1).
type pencil struct {
	cfd.Box
	neighbour [sides]int // ranks, or mpi.ProcNull
}

func newPencil(n, procs, rank int) pencil {
	x, y := factors(procs)
	row, col := rank%x, rank/x
	p := pencil{Box: cfd.Box{N: n, Edge: [3]int{2: n}}}
	p.Low[0], p.Edge[0] = nas.Split(n, x, row)
	p.Low[1], p.Edge[1] = nas.Split(n, y, col)
	p.neighbour = [sides]int{mpi.ProcNull, mpi.ProcNull, mpi.ProcNull, mpi.ProcNull}
	if row > 0 {
		p.neighbour[north] = rank - 1
	}
	if row < x-1 {
		p.neighbour[south] = rank + 1
	}
	if col > 0 {
		p.neighbour[west] = rank - x
	}
	if col < y-1 {
		p.neighbour[east] = rank + x
	}
	return p
}

// layouts returns how the states and the corrections of a pencil are stored.
func (p *pencil) layouts() (states, corrections cfd.Layout) {
	first, _ := p.Inside(1)
	return cfd.DiagonalLayout(p.Edge, cfd.Ghosts, cfd.Reciprocal+1, first),
		cfd.DiagonalLayout(p.Edge, cfd.Ghosts, cfd.Components, first)
}

func (p *pencil) has(side int) bool { return p.neighbour[side] != mpi.ProcNull }
