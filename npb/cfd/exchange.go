package cfd

import "rhinet/mpi"

// exchange fills the ghost layers of the cells (section 2.2): two layers of five components from each of
// six neighbours. Edges and corners are never needed.
type exchange struct {
	out, in [6][]float64    // by 2*direction, +1 for the successor
	reqs    [12]mpi.Request // not pointers: a time step allocates nothing
	all     [12]*mpi.Request
}

func newExchange(m *March) *exchange {
	e := &exchange{}
	for i := range e.reqs {
		e.all[i] = &e.reqs[i]
	}
	if m.Root == 1 {
		return e
	}
	for side := range 6 {
		up, down := 0, 0
		for c := range m.Cells {
			up += m.faceLen(c, side/2, side%2)
			down += m.faceLen(c, side/2, side%2)
		}
		e.out[side], e.in[side] = make([]float64, up), make([]float64, down)
	}
	return e
}

// faceLen returns how many doubles cell c exchanges across a side, 0 at the boundary of the grid.
func (m *March) faceLen(c, d, high int) int {
	end := 0
	if high == 1 {
		end = m.Root - 1
	}
	if m.Coord[c][d] == end {
		return 0
	}
	b := &m.Boxes[c]
	return Ghosts * Components * b.Edge[(d+1)%3] * b.Edge[(d+2)%3]
}

func (e *exchange) run(m *March) error {
	for side := range 6 {
		e.reqs[side] = *mpi.Irecv(m.comm, e.in[side], m.neighbour(side), side^1)
	}
	for side := range 6 {
		e.pack(m, side)
		e.reqs[6+side] = *mpi.Isend(m.comm, e.out[side], m.neighbour(side), side)
	}
	if err := mpi.WaitAll(e.all[:]...); err != nil {
		return err
	}
	for side := range 6 {
		e.unpack(m, side)
	}
	return nil
}

func (m *March) neighbour(side int) int {
	if side%2 == 1 {
		return m.Succ[side/2]
	}
	return m.Pred[side/2]
}

// pack copies the two outermost own layers of each cell.
func (e *exchange) pack(m *March, side int) {
	d, high := side/2, side%2
	buf := e.out[side]
	for i, c := range m.Cells {
		if m.faceLen(i, d, high) == 0 {
			continue
		}
		from := 0
		if high == 1 {
			from = c.Edge[d] - Ghosts
		}
		buf = c.copyLayers(buf, d, from, true)
	}
}

// unpack copies into the ghost layers of each cell.
func (e *exchange) unpack(m *March, side int) {
	d, high := side/2, side%2
	buf := e.in[side]
	for i, c := range m.Cells {
		if m.faceLen(i, d, high) == 0 {
			continue
		}
		from := -Ghosts
		if high == 1 {
			from = c.Edge[d]
		}
		buf = c.copyLayers(buf, d, from, false)
	}
}

// copyLayers copies the two layers of U from index from on, perpendicular to d, to or from buf, and returns
// the rest of buf.
func (c *Cell) copyLayers(buf []float64, d, from int, out bool) []float64 {
	low, high := [3]int{}, c.Edge
	low[d], high[d] = from, from+Ghosts
	n := high[0] - low[0]
	for k := low[2]; k < high[2]; k++ {
		for j := low[1]; j < high[1]; j++ {
			at := c.UL.At(low[0], j, k)
			for m := range Components {
				row := c.U[at+m*c.UL.Comp:][:n]
				if out {
					copy(buf, row)
				} else {
					copy(row, buf)
				}
				buf = buf[n:]
			}
		}
	}
	return buf
}
