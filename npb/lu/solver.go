package lu

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// omega is the over-relaxation factor.
const omega = 1.2

// Phases of a step, in the order of the timers.
const (
	phaseExchange = iota
	phaseRHS
	phaseLower
	phaseUpper
	phasePipeline
)

func phases() []nas.Phase {
	return []nas.Phase{
		{Name: "exchange", Comm: true}, {Name: "rhs"}, {Name: "lower"}, {Name: "upper"}, {Name: "pipeline", Comm: true},
	}
}

// solver holds the fields of a rank.
type solver struct {
	pencil
	comm    *mpi.Comm
	params  params
	timers  *nas.Timers
	work    nas.Work // a part is a step
	ul, vl  cfd.Layout
	u       []float64 // states, with their reciprocal densities
	v       []float64 // residual, then correction
	forcing []float64
	runs    []cfd.Run

	op           *cfd.Operator
	prim         *cfd.Primitives
	args         sweepArgs
	lower, upper sweepTable
	kernels      kernels
	x            *exchange
}

// newSolver prepares a rank. It allocates all memory that a step needs.
func newSolver(c *mpi.Comm, p params, timers bool, level nas.Level) *solver {
	s := &solver{
		pencil: newPencil(p.n, c.Size(), c.Rank()), comm: c, params: p,
		timers: nas.NewTimers(timers, phases()...),
	}
	s.ul, s.vl = s.layouts()
	s.u, s.v, s.forcing = s.ul.New(), s.vl.New(), s.vl.New()
	s.runs = s.Runs(cfd.ByDiagonals)
	s.op = cfd.NewOperator(cfd.Plan{Box: s.Box, U: s.ul, R: s.vl, Order: cfd.ByDiagonals, Scale: 1, Level: level})
	s.prim = cfd.NewPrimitives(cfd.Reciprocal+1, level)
	s.lower, s.upper = newTable(&s.ul, &s.vl, -1), newTable(&s.ul, &s.vl, 1)
	s.lower.frame, s.upper.frame = newFrame(p.n, p.dt, 1), newFrame(p.n, p.dt, -1)
	s.kernels = kernelsOf(level)
	s.x = newExchange(&s.pencil)

	s.Fill(s.u, &s.ul, cfd.ExactAt)
	s.allPrimitives()
	s.op.Apply(s.v, s.u, s.forcing)
	s.v, s.forcing = s.forcing, s.v
	s.restart()
	return s
}

// restart sets the initial field.
func (s *solver) restart() {
	clear(s.v)
	s.Fill(s.u, &s.ul, cfd.Initial)
	s.allPrimitives()
}

// allPrimitives computes the derived components of all points and ghosts.
func (s *solver) allPrimitives() {
	for k := range s.Edge[2] {
		for j := -1; j <= s.Edge[1]; j++ {
			for i := -1; i <= s.Edge[0]; i++ {
				s.prim.Fill(s.u, &s.ul, s.ul.At(i, j, k), 1)
			}
		}
	}
}

// residual refreshes the ghost layers and sets v = R(U) - G.
func (s *solver) residual() error {
	s.timers.Begin(phaseExchange)
	err := s.x.run(s)
	s.timers.End(phaseExchange)
	if err != nil {
		return err
	}
	if err := s.work.Do(1 - 2*sweepShare); err != nil {
		return err
	}
	s.timers.Begin(phaseRHS)
	s.op.Apply(s.v, s.u, s.forcing)
	s.timers.End(phaseRHS)
	return nil
}

// step makes one pseudo-time step from the residual in v to that of the new U
// (section 5.4).
func (s *solver) step() error {
	if err := s.lowerSweep(); err != nil {
		return err
	}
	if err := s.upperSweep(); err != nil {
		return err
	}
	return s.residual()
}

// sweepShare is the share of each of the two sweeps in the work of a step; the rest is the residual. This
// value was chosen because the sweeps take about three quarters of the time.
const sweepShare = 3.0 / 8

// lowerSweep turns the residual into the correction of the lower triangle.
func (s *solver) lowerSweep() error {
	s.timers.Begin(phaseLower)
	defer s.timers.End(phaseLower)
	for k := 1; k <= s.N-2; k++ {
		if err := s.receivePlane(k, north, west); err != nil {
			return err
		}
		if err := s.work.Do(sweepShare / float64(s.N-2)); err != nil {
			return err
		}
		s.plane(&s.lower, s.kernels.lower, k)
		if err := s.sendPlane(k, south, east); err != nil {
			return err
		}
	}
	return nil
}

// upperSweep completes the correction and adds it to U. The correction is added to a plane only when the
// plane below, which still needs the old states, is done.
func (s *solver) upperSweep() error {
	s.timers.Begin(phaseUpper)
	defer s.timers.End(phaseUpper)
	for k := s.N - 2; k >= 1; k-- {
		if err := s.receivePlane(k, south, east); err != nil {
			return err
		}
		if err := s.work.Do(sweepShare / float64(s.N-2)); err != nil {
			return err
		}
		s.planeDown(k)
		if err := s.sendPlane(k, north, west); err != nil {
			return err
		}
		if k < s.N-2 {
			s.plane(&s.upper, s.kernels.advance, k+1)
		}
	}
	s.plane(&s.upper, s.kernels.advance, 1)
	return nil
}

// plane runs a kernel over the diagonals of a plane in increasing order.
func (s *solver) plane(t *sweepTable, kernel func(*sweepArgs), k int) {
	a := s.arguments(t)
	for i := range s.runs {
		s.place(a, i, k)
		kernel(a)
	}
}

// planeDown runs the upper sweep over the diagonals of a plane, in decreasing order.
func (s *solver) planeDown(k int) {
	a := s.arguments(&s.upper)
	for i := len(s.runs) - 1; i >= 0; i-- {
		s.place(a, i, k)
		s.kernels.upper(a)
	}
}

func (s *solver) arguments(t *sweepTable) *sweepArgs {
	a := &s.args
	a.u, a.v, a.off, a.frame = s.u, s.v, t.off, t.frame
	return a
}

func (s *solver) place(a *sweepArgs, run, k int) {
	r := &s.runs[run]
	a.uAt, a.vAt = s.ul.At(r.I, r.J, k), s.vl.At(r.I, r.J, k)
	a.n, a.skip = r.Len, r.Skip
}

// norm returns the norm of v.
func (s *solver) norm() ([cfd.Components]float64, error) {
	var sum [cfd.Components]float64
	s.AddSquares(&sum, s.v, &s.vl)
	return cfd.RootMeanSquare(s.comm, sum, s.N)
}
