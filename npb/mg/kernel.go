package mg

import (
	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Run computes one class on all ranks of world. It is collective; the result
// is complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	p := classes()[cfg.Class]
	niter, verifiable := cfg.Count(p.niter)
	s := newSolver(world, p, nas.BestLevel(), cfg.Timers)
	if err := s.warmUp(); err != nil {
		return nas.Result{}, err
	}
	if err := mpi.Barrier(world); err != nil {
		return nas.Result{}, err
	}
	s.timers.Reset()

	work := nas.NewWork(world, "mg", p.operations(niter), niter)
	start := cfg.Wtime()
	rnm2, err := s.solve(niter, func(it int) error {
		cfg.Step(world.Rank(), it, niter)
		return work.Do(1)
	})
	if err != nil {
		return nas.Result{}, err
	}
	seconds := cfg.Wtime() - start
	r := p.judge(cfg.Class, niter, verifiable, rnm2)
	return r, r.Finish(world, s.timers, seconds, p.operations(niter))
}

// warmUp runs all code and touches all data once, and then sets up the problem again.
func (s *solver) warmUp() error {
	if err := s.setUp(); err != nil {
		return err
	}
	if _, err := s.solve(1, func(int) error { return nil }); err != nil {
		return err
	}
	return s.setUp()
}

// solve is the timed section. It returns the norm of the last residual.
func (s *solver) solve(niter int, step func(it int) error) (float64, error) {
	top := s.top()
	if err := s.residual(top, s.v); err != nil {
		return 0, err
	}
	if _, _, err := s.norm(); err != nil {
		return 0, err
	}
	for it := 1; it <= niter; it++ {
		if err := step(it); err != nil {
			return 0, err
		}
		if err := s.cycle(); err != nil {
			return 0, err
		}
		if err := s.residual(top, s.v); err != nil {
			return 0, err
		}
	}
	rnm2, _, err := s.norm()
	return rnm2, err
}
