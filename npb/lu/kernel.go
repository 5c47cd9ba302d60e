package lu

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// Run computes one class on all ranks of world. It is collective; the result is
// complete on rank 0.
func Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	return runClass(world, cfg, classes[cfg.Class])
}

// runClass runs with the parameters and reference values of p.
func runClass(world *mpi.Comm, cfg nas.Config, p params) (nas.Result, error) {
	problem, err := Describe(cfg.Class)
	if err != nil {
		return nas.Result{}, err
	}
	steps, verifiable := cfg.Count(p.steps)
	res := nas.Result{Problem: problem, Operation: nas.FloatingPoint}
	res.Iterations = steps
	if !verifiable {
		res.Class = nas.Unknown
	}
	s := newSolver(world, p, cfg.Timers, nas.BestLevel())
	if _, _, err := s.ssor(&nas.Config{}, 1); err != nil {
		return res, err
	}
	s.restart()
	seconds, residual, err := s.ssor(&cfg, steps)
	if err != nil {
		return res, err
	}
	if err := s.verify(&res, residual, verifiable); err != nil {
		return res, err
	}
	return res, res.Finish(world, s.timers, seconds, operations(float64(p.n))*float64(steps))
}

// ssor runs the time steps, beginning with the residual of the present field. It returns the time of all
// steps and the norm of the last residual.
func (s *solver) ssor(cfg *nas.Config, steps int) (seconds float64, residual [cfd.Components]float64, err error) {
	if err = s.residual(); err != nil {
		return 0, residual, err
	}
	if _, err = s.norm(); err != nil {
		return 0, residual, err
	}
	if err = mpi.Barrier(s.comm); err != nil {
		return 0, residual, err
	}
	s.timers.Reset()
	s.work = nas.NewWork(s.comm, "lu", operations(float64(s.params.n))*float64(steps), steps)
	start := cfg.Wtime()
	for step := 1; step <= steps; step++ {
		cfg.Step(s.comm.Rank(), step, steps)
		if err = s.step(); err != nil {
			return 0, residual, err
		}
	}
	residual, err = s.norm()
	return cfg.Wtime() - start, residual, err
}
