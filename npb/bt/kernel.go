package bt

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

// runClass runs with the parameters and reference values of c.
func runClass(world *mpi.Comm, cfg nas.Config, c cfd.MarchClass) (nas.Result, error) {
	p, err := Describe(cfg.Class)
	if err != nil {
		return nas.Result{}, err
	}
	return (&cfd.MarchRun{
		Class: c, Problem: p, Operations: operations(float64(c.N)),
		New: func(faces, solves *mpi.Comm, timers bool) *cfd.Stepper {
			return newStepper(faces, solves, c, timers, nas.BestLevel())
		},
	}).Run(world, cfg)
}

// newStepper prepares the time step of a class.
func newStepper(faces, solves *mpi.Comm, c cfd.MarchClass, timers bool, level nas.Level) *cfd.Stepper {
	m := cfd.NewMarch(faces, cfd.MarchPlan{N: c.N, Dt: c.Dt, Comps: cfd.Reciprocal + 1, Level: level})
	return cfd.NewStepper(solves, m, newLines(c.N, c.Dt, level), level, timers)
}
