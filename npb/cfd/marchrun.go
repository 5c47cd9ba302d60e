package cfd

import (
	"time"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// Tolerance is the largest relative difference of a verified norm, and the largest
// absolute difference of a verified time step.
const Tolerance = 1e-8

// MarchClass is what BT and SP define for a class.
type MarchClass struct {
	N, Steps        int
	Dt              float64
	Residual, Error [Components]float64 // norms after the last step
}

// DescribeMarch is Describe of BT and SP.
func DescribeMarch(kernel string, classes nas.Table[MarchClass], class nas.Class) (nas.Problem, error) {
	c, err := classes.Lookup(kernel, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{
		Kernel: kernel, Class: class, Size: nas.Grid(c.N, c.N, c.N), Iterations: c.Steps, TimeStep: c.Dt,
	}, nil
}

// AllowedMarch is Allowed of BT and SP: a square number of ranks, and cells with
// edges of at least MinEdge.
func AllowedMarch(kernel string, classes nas.Table[MarchClass], procs int, class nas.Class) error {
	c, err := classes.Lookup(kernel, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(kernel, class, procs, "a square number of processes", func(p int) bool {
		root, exact := nas.SquareRoot(p)
		return exact && c.N/root >= MinEdge
	})
}

// Phases of BT and SP, in the order of the timers of a Stepper.
const (
	PhaseFaces = iota
	PhaseRHS
	PhaseX
	PhaseY
	PhaseZ
	PhaseLines
)

// Phases returns the names of the phases. The waiting for lines is part of the
// three solves too.
func Phases() []nas.Phase {
	return []nas.Phase{
		{Name: "faces", Comm: true}, {Name: "rhs"}, {Name: "xsolve"}, {Name: "ysolve"}, {Name: "zsolve"},
		{Name: "lines", Comm: true},
	}
}

// Stepper advances a March by one time step.
type Stepper struct {
	*March
	sweeper *Sweeper
	Timers  *nas.Timers
}

// NewStepper prepares a time step from a March and the line systems of a kernel.
func NewStepper(solves *mpi.Comm, m *March, lines *Lines, level nas.Level, timers bool) *Stepper {
	t := nas.NewTimers(timers, Phases()...)
	return &Stepper{March: m, sweeper: NewSweeper(solves, m, lines, level, t), Timers: t}
}

// Solve solves the systems along direction d.
func (s *Stepper) Solve(d int) error {
	s.Timers.Begin(PhaseX + d)
	err := s.sweeper.Solve(d)
	s.Timers.End(PhaseX + d)
	return err
}

// Step advances U by one time step; the solve along z adds the update.
func (s *Stepper) Step() error {
	if err := s.RightHandSide(s.Timers, PhaseFaces, PhaseRHS); err != nil {
		return err
	}
	for d := range 3 {
		if err := s.Solve(d); err != nil {
			return err
		}
	}
	return nil
}

// MarchRun is a run of BT or SP.
type MarchRun struct {
	Kernel     string
	Class      MarchClass
	Problem    nas.Problem
	Operations float64 // per step
	// New prepares the kernel's step; faces and norms use the first communicator.
	New func(faces, solves *mpi.Comm, timers bool) *Stepper
}

// Run warms up, marches, and verifies (section 2.4).
func (r *MarchRun) Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	steps, verifiable := cfg.Count(r.Class.Steps)
	res := nas.Result{Problem: r.Problem, Processes: world.Size(), Active: world.Size(), Operation: nas.FloatingPoint}
	res.Iterations = steps
	if !verifiable {
		res.Class = nas.Unknown
	}
	faces, err := world.Dup()
	if err != nil {
		return res, err
	}
	defer func() { _ = faces.Free() }()
	solves, err := world.Dup()
	if err != nil {
		return res, err
	}
	defer func() { _ = solves.Free() }()

	s := r.New(faces, solves, cfg.Timers)
	if err := s.Step(); err != nil {
		return res, err
	}
	s.Restart()
	s.Timers.Reset()
	if err := mpi.Barrier(world); err != nil {
		return res, err
	}
	start := time.Now()
	for step := 1; step <= steps; step++ {
		cfg.Step(world.Rank(), step, steps)
		if err := s.Step(); err != nil {
			return res, err
		}
	}
	seconds := time.Since(start).Seconds()
	err = r.finish(world, &res, s, seconds, verifiable)
	return res, err
}

// finish completes the result: norms, verdict, time.
func (r *MarchRun) finish(world *mpi.Comm, res *nas.Result, s *Stepper, seconds float64, verifiable bool) error {
	errorNorm, err := s.Error()
	if err != nil {
		return err
	}
	residual, err := s.Residual()
	if err != nil {
		return err
	}
	res.Checks = NormChecks(verifiable, "residual", residual, r.Class.Residual)
	res.Checks = append(res.Checks, NormChecks(verifiable, "error", errorNorm, r.Class.Error)...)
	res.Verdict = nas.Judge(verifiable, res.Checks)
	return FinishResult(world, res, s.Timers, seconds, r.Operations*float64(res.Iterations))
}
