package ft

import (
	"time"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Run computes one class on all ranks of world. It is collective; the result
// is complete on rank 0. The time reported is that of rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	p := classes()[cfg.Class]
	niter, verifiable := cfg.Count(p.niter)
	s := newSolver(world, p, nas.BestLevel(), cfg.Timers)
	s.setUp()
	if err := s.forward(); err != nil {
		return nas.Result{}, err
	}
	if err := mpi.Barrier(world); err != nil {
		return nas.Result{}, err
	}
	s.timers.Reset()

	sums := make([]complex128, niter)
	start := time.Now()
	if err := s.solve(sums, func(it int) { cfg.Step(world.Rank(), it, niter) }); err != nil {
		return nas.Result{}, err
	}
	r := p.judge(cfg.Class, niter, verifiable, sums)
	seconds := time.Since(start).Seconds()
	return r, r.FinishOwn(world, s.timers, seconds, p.operations(niter))
}

// solve is the timed section: set-up, transform, and the checksums of all
// iterations, which only rank 0 gets.
func (s *solver) solve(sums []complex128, step func(it int)) error {
	s.setUp()
	if err := s.forward(); err != nil {
		return err
	}
	for it := range sums {
		step(it + 1)
		if err := s.step(); err != nil {
			return err
		}
		var err error
		if sums[it], err = s.reduce(s.checksum()); err != nil {
			return err
		}
	}
	return nil
}
