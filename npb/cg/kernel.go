package cg

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
	s, err := newSolver(world, p, nas.BestLevel(), cfg.Timers)
	if err != nil {
		return nas.Result{}, err
	}
	if _, err := s.iterate(); err != nil {
		return nas.Result{}, err
	}
	s.reset()
	s.timers.Reset()
	if err := mpi.Barrier(world); err != nil {
		return nas.Result{}, err
	}

	s.work = nas.NewWork(world, "cg", p.operations(niter), niter*(inner+1))
	start := cfg.Wtime()
	zeta := 0.0
	for it := 1; it <= niter; it++ {
		cfg.Step(world.Rank(), it, niter)
		if zeta, err = s.iterate(); err != nil {
			return nas.Result{}, err
		}
	}
	seconds := cfg.Wtime() - start
	r := p.judge(cfg.Class, niter, verifiable, zeta)
	if err := r.Finish(world, s.timers, seconds, p.operations(niter)); err != nil {
		return r, err
	}
	return r, s.free()
}
