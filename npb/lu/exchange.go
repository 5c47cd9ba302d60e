package lu

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
)

// exchange holds the buffers for the values at the sides of a pencil (section 5.5).
type exchange struct {
	out, in [sides][]float64 // two layers of U, all planes
	edge    [sides][]float64 // one layer of v, one plane
}

// Message tags, by the side of the receiver that the message comes from.
const (
	tagLayers = 0 // plus the side
	tagEdge   = tagLayers + sides
)

func newExchange(p *pencil) *exchange {
	x := &exchange{}
	for side := range sides {
		if !p.has(side) {
			continue
		}
		d := 1 - side/2 // the direction along the side
		layers := cfd.Ghosts * cfd.Components * p.Edge[d] * p.Edge[2]
		x.out[side], x.in[side] = make([]float64, layers), make([]float64, layers)
		from, to := p.Inside(d)
		x.edge[side] = make([]float64, cfd.Components*(to-from))
	}
	return x
}

// run refreshes the two ghost layers of U around the pencil, x first.
func (x *exchange) run(s *solver) error {
	for d := range 2 {
		low, high := 2*d, 2*d+1
		if err := x.shift(s, low, high); err != nil {
			return err
		}
		if err := x.shift(s, high, low); err != nil {
			return err
		}
	}
	return nil
}

// shift receives layers at one side and sends those of the opposite side.
func (x *exchange) shift(s *solver, from, to int) error {
	var req *mpi.Request
	if s.has(from) {
		req = mpi.Irecv(s.comm, x.in[from], s.neighbour[from], tagLayers+from)
	}
	if s.has(to) {
		s.copyLayers(x.out[to], to, true)
		// The receiver's side is the opposite one.
		if err := mpi.Send(s.comm, x.out[to], s.neighbour[to], tagLayers+from); err != nil {
			return err
		}
	}
	if req == nil {
		return nil
	}
	if _, err := req.Wait(); err != nil {
		return err
	}
	s.copyLayers(x.in[from], from, false)
	return nil
}

// copyLayers packs this rank's two layers at a side, or unpacks the ghost layers there.
func (s *solver) copyLayers(buf []float64, side int, out bool) {
	d, high := side/2, side%2 == 1
	low, edge := [3]int{}, s.Edge
	switch {
	case out && high:
		low[d] = s.Edge[d] - cfd.Ghosts
	case !out && high:
		low[d] = s.Edge[d]
	case !out:
		low[d] = -cfd.Ghosts
	}
	edge[d] = cfd.Ghosts
	stride := s.ul.Stride[0]
	for k := range edge[2] {
		for j := range edge[1] {
			at := s.ul.At(low[0], low[1]+j, k)
			for range edge[0] {
				for m := range cfd.Components {
					if out {
						buf[m] = s.u[at+m*s.ul.Comp]
					} else {
						s.u[at+m*s.ul.Comp] = buf[m]
					}
				}
				if !out {
					s.u[at+cfd.Reciprocal*s.ul.Comp] = 1 / buf[0]
				}
				buf = buf[cfd.Components:]
				at += stride
			}
		}
	}
}

// receivePlane receives the values of v just outside two sides of a plane.
func (s *solver) receivePlane(k int, sides ...int) error {
	for _, side := range sides {
		if !s.has(side) {
			continue
		}
		buf := s.x.edge[side]
		s.timers.Begin(phasePipeline)
		_, err := mpi.Recv(s.comm, buf, s.neighbour[side], tagEdge+side)
		s.timers.End(phasePipeline)
		if err != nil {
			return err
		}
		s.copyEdge(buf, side, k, false)
	}
	return nil
}

// sendPlane sends the values of v just inside two sides of a plane.
func (s *solver) sendPlane(k int, sides ...int) error {
	for _, side := range sides {
		if !s.has(side) {
			continue
		}
		buf := s.x.edge[side]
		s.copyEdge(buf, side, k, true)
		s.timers.Begin(phasePipeline)
		err := mpi.Send(s.comm, buf, s.neighbour[side], tagEdge+side^1)
		s.timers.End(phasePipeline)
		if err != nil {
			return err
		}
	}
	return nil
}

// copyEdge packs this rank's last points of v at a side of a plane, or unpacks the ghost points beyond it;
// only lines inside the grid are copied.
func (s *solver) copyEdge(buf []float64, side, k int, out bool) {
	d := side / 2
	along := 1 - d
	from, to := s.Inside(along)
	var at [2]int
	at[along] = from
	switch {
	case side%2 == 1 && out:
		at[d] = s.Edge[d] - 1
	case side%2 == 1:
		at[d] = s.Edge[d]
	case !out:
		at[d] = -1
	}
	i := s.vl.At(at[0], at[1], k)
	for range to - from {
		for m := range cfd.Components {
			if out {
				buf[m] = s.v[i+m*s.vl.Comp]
			} else {
				s.v[i+m*s.vl.Comp] = buf[m]
			}
		}
		buf = buf[cfd.Components:]
		i += s.vl.Stride[along]
	}
}
