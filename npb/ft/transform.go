package ft

import "rhinet/mpi"

// forward transforms the values in space, which mixed holds in space order,
// into frequency. Collective.
func (s *solver) forward() error {
	s.timers.Begin(phaseXY)
	for z := range s.slabZ {
		s.forwardPlane(z)
	}
	s.timers.End(phaseXY)
	// The values in space are no longer needed; with several ranks mixed is now
	// free, and the planes lie in received.
	from := s.received
	if s.size > 1 {
		if err := s.exchange(s.mixed, s.received); err != nil {
			return err
		}
		from = s.mixed
	}
	s.timers.Begin(phaseZ)
	for at := 0; at < s.sheet-cell; at += cell {
		s.k.take(s.work, s.p.nz, from, at, s.sheet)
		s.pz.transform(s.k, s.work)
		s.k.put(s.frequency, at, s.sheet, s.work, s.pz.place)
	}
	s.timers.End(phaseZ)
	return nil
}

// forwardPlane transforms one plane along x and y, from space order in mixed to
// mixed order in received.
func (s *solver) forwardPlane(z int) {
	p := &s.p
	for y := 0; y < p.ny; y += lanes {
		s.k.take(s.work, p.nx, s.mixed, s.space(z, y), cell)
		s.px.transform(s.k, s.work)
		s.k.putTransposed(s.plane, y*s.planeRow, s.planeRow, s.work, s.px.place)
	}
	for x := 0; x < s.row; x += cell {
		s.k.take(s.work, p.ny, s.plane, x, s.planeRow)
		s.py.transform(s.k, s.work)
		for part := range s.size {
			s.k.put(s.received, part*s.part+z*s.sheet+x, s.row, s.work, s.py.place[part*s.slabY:][:s.slabY])
		}
	}
}

// step advances frequency in time and transforms it back into space, where the values have their real and
// imaginary parts exchanged. Collective.
func (s *solver) step() error {
	s.timers.Begin(phaseZ)
	nx := s.p.nx
	for at := 0; at < s.sheet-cell; at += cell {
		y, x := at/s.row, at%s.row/2
		ey := s.ey[s.rank*s.slabY+y]
		s.k.takeEvolved(s.work, s.frequency, at, s.sheet, (*[lanes]float64)(s.ex[x:nx]), ey, s.ez)
		s.pz.transform(s.k, s.work)
		s.k.put(s.mixed, at, s.sheet, s.work, s.pz.place)
	}
	s.timers.End(phaseZ)
	if s.size > 1 {
		if err := s.exchange(s.received, s.mixed); err != nil {
			return err
		}
	}
	s.timers.Begin(phaseXY)
	for z := range s.slabZ {
		s.backwardPlane(z)
	}
	s.timers.End(phaseXY)
	return nil
}

// backwardPlane transforms one plane along y and x, from mixed order in
// received to space order in mixed.
func (s *solver) backwardPlane(z int) {
	p := &s.p
	for x := 0; x < s.row; x += cell {
		for part := range s.size {
			s.k.take(s.work[part*s.slabY*cell:], s.slabY, s.received, part*s.part+z*s.sheet+x, s.row)
		}
		s.py.transform(s.k, s.work)
		s.k.put(s.plane, x, s.planeRow, s.work, s.py.place)
	}
	for y := 0; y < p.ny; y += lanes {
		s.k.takeTransposed(s.work, p.nx, s.plane, y*s.planeRow, s.planeRow)
		s.px.transform(s.k, s.work)
		s.k.put(s.mixed, s.space(z, y), cell, s.work, s.px.place)
	}
}

// exchange turns slabs of z into slabs of y, or back. Collective.
func (s *solver) exchange(to, from []float64) error {
	s.timers.Begin(phaseExchange)
	defer s.timers.End(phaseExchange)
	return mpi.Alltoall(s.world, from, to)
}
