package cfd

import (
	"strings"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// A MarchKernel is what differs between BT and SP. The rest of a kernel follows from it.
type MarchKernel struct {
	Name       string // in capitals
	Classes    nas.Table[MarchClass]
	Operations func(n float64) float64 // of one time step
	Comps      int                     // components of a state: Reciprocal+1 or Sound+1
	TIn        bool                    // apply SP's T_in to the right-hand side
	Lines      func(n int, dt float64, level nas.Level) *Lines
}

// Describe returns the size, time steps and time step length of a class.
func (k *MarchKernel) Describe(class nas.Class) (nas.Problem, error) {
	c, err := k.Classes.Lookup(k.Name, class)
	if err != nil {
		return nas.Problem{}, err
	}
	return nas.Problem{
		Kernel: k.Name, Class: class, Size: nas.Grid(c.N, c.N, c.N), Iterations: c.Steps, TimeStep: c.Dt,
	}, nil
}

// Allowed returns nil if the class can run on procs ranks: a square number, and
// cells with edges of at least MinEdge. The error names the counts.
func (k *MarchKernel) Allowed(procs int, class nas.Class) error {
	c, err := k.Classes.Lookup(k.Name, class)
	if err != nil {
		return err
	}
	return nas.CheckCount(k.Name, class, procs, "a square number of processes", func(p int) bool {
		root, exact := nas.SquareRoot(p)
		return exact && c.N/root >= MinEdge
	})
}

// Memory returns approximately how many bytes the class needs on procs ranks together, assuming the cells
// of rank 0 for each.
func (k *MarchKernel) Memory(procs int, class nas.Class) int64 {
	n := k.Classes[class].N
	p := NewPartition(n, procs, 0)
	lines := k.Lines(n, 1, nas.Plain)
	var fields, stored int64
	for _, box := range p.Boxes {
		u, r := RowLayout(box.Edge, Ghosts, k.Comps, 0), RowLayout(box.Edge, 0, Components, 0)
		fields += int64(u.Size) + 2*int64(r.Size) // states, update vector, forcing
	}
	for d := range 3 {
		total := int64(0)
		for i := range p.Boxes {
			st := newStage(&p.Boxes[i], d, lines)
			total += int64(st.storage(p.Root))
		}
		stored = max(stored, total)
	}
	return int64(procs) * 8 * (fields + stored)
}

// NewStepper prepares the time step of a class; faces and norms use the first
// communicator.
func (k *MarchKernel) NewStepper(faces, solves *mpi.Comm, c MarchClass, timers bool, level nas.Level) *Stepper {
	m := NewMarch(faces, MarchPlan{N: c.N, Dt: c.Dt, Comps: k.Comps, TIn: k.TIn, Level: level})
	return NewStepper(solves, m, k.Lines(c.N, c.Dt, level), level, timers)
}

// Run computes one class on all ranks of world. It is collective; the result is
// complete on rank 0.
func (k *MarchKernel) Run(world *mpi.Comm, cfg nas.Config) (nas.Result, error) {
	if err := k.Allowed(world.Size(), cfg.Class); err != nil {
		return nas.Result{}, err
	}
	problem, err := k.Describe(cfg.Class)
	if err != nil {
		return nas.Result{}, err
	}
	return k.RunClass(world, cfg, problem, k.Classes[cfg.Class])
}

// RunClass runs with the parameters and reference values of c: it warms up,
// marches, and verifies (section 2.4).
func (k *MarchKernel) RunClass(world *mpi.Comm, cfg nas.Config, problem nas.Problem, c MarchClass) (nas.Result, error) {
	steps, verifiable := cfg.Count(c.Steps)
	res := nas.Result{Problem: problem, Operation: nas.FloatingPoint}
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

	s := k.NewStepper(faces, solves, c, cfg.Timers, nas.BestLevel())
	if err := s.Step(); err != nil {
		return res, err
	}
	s.Restart()
	s.Timers.Reset()
	if err := mpi.Barrier(world); err != nil {
		return res, err
	}
	s.Work = nas.NewWork(world, strings.ToLower(problem.Kernel), k.Operations(float64(c.N))*float64(steps), steps)
	start := cfg.Wtime()
	for step := 1; step <= steps; step++ {
		cfg.Step(world.Rank(), step, steps)
		if err := s.Step(); err != nil {
			return res, err
		}
	}
	seconds := cfg.Wtime() - start
	if err := s.verify(&res, &c, verifiable); err != nil {
		return res, err
	}
	return res, res.Finish(world, s.Timers, seconds, k.Operations(float64(c.N))*float64(steps))
}

// verify compares both norms with those of the class.
func (s *Stepper) verify(res *nas.Result, c *MarchClass, verifiable bool) error {
	errorNorm, err := s.Error()
	if err != nil {
		return err
	}
	residual, err := s.Residual()
	if err != nil {
		return err
	}
	res.Checks = NormChecks(verifiable, "residual", residual, c.Residual)
	res.Checks = append(res.Checks, NormChecks(verifiable, "error", errorNorm, c.Error)...)
	res.Verdict = nas.Judge(verifiable, res.Checks)
	return nil
}
