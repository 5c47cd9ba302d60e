package cg

import "rhinet/mpi"

// multiply computes out = A in, both by column range. Collective.
//
// Each rank multiplies its block; the products are summed along the grid row, stage by stage, and each
// rank's part goes to the transposed position. The first stage is overlapped: a part of the rows is being
// sent while the rest is computed.
func (s *solver) multiply(out, in []float64) error {
	if err := s.work.Do(1); err != nil {
		return err
	}
	rows := len(s.a.start) - 1
	if s.line == nil {
		s.timers.Begin(phaseProduct)
		s.product(out, s.a, in, 0, rows)
		s.timers.End(phaseProduct)
		return nil
	}
	start, n := s.grid.kept(rows)
	if err := s.firstStage(in, start, n); err != nil {
		return err
	}
	kept := s.w[start : start+n]
	for i := s.grid.stages - 1; i >= 1; i-- {
		s.timers.Begin(phaseRowSum)
		partner := s.grid.partner(i)
		_, err := mpi.Sendrecv(s.world, kept, partner, i, s.in[:n], partner, i)
		s.timers.End(phaseRowSum)
		if err != nil {
			return err
		}
		s.timers.Begin(phaseVectors)
		accumulate(kept, s.in)
		s.timers.End(phaseVectors)
	}
	return s.transpose(out, kept)
}

// firstStage computes the product of the local block and adds the first partner's product to the part that
// this rank keeps.
func (s *solver) firstStage(in []float64, start, n int) error {
	rows := len(s.a.start) - 1
	tag := s.grid.stages
	partner := s.grid.partner(tag)
	incoming := mpi.Irecv(s.world, s.in[:n], partner, tag)

	// Compute first what the partner needs: the other half, or everything.
	from, to := 0, rows
	if !s.grid.square {
		from, to = start+n, rows
		if start > 0 {
			from, to = 0, start
		}
	}
	s.timers.Begin(phaseProduct)
	s.product(s.w, s.a, in, from, to)
	s.timers.End(phaseProduct)
	s.timers.Begin(phaseRowSum)
	outgoing := mpi.Isend(s.world, s.w[from:to], partner, tag)
	s.timers.End(phaseRowSum)
	if !s.grid.square {
		s.timers.Begin(phaseProduct)
		s.product(s.w, s.a, in, start, start+n)
		s.timers.End(phaseProduct)
	}
	s.timers.Begin(phaseRowSum)
	_, err := incoming.Wait()
	if _, e := outgoing.Wait(); err == nil {
		err = e
	}
	s.timers.End(phaseRowSum)
	s.timers.Begin(phaseVectors)
	accumulate(s.w[start:start+n], s.in)
	s.timers.End(phaseVectors)
	return err
}

// transpose exchanges this rank's part with the transposed position.
func (s *solver) transpose(out, kept []float64) error {
	s.timers.Begin(phaseTranspose)
	defer s.timers.End(phaseTranspose)
	partner := s.grid.transposed()
	if partner == s.world.Rank() {
		copy(out, kept)
		return nil
	}
	_, err := mpi.Sendrecv(s.world, kept, partner, 0, out, partner, 0)
	return err
}
