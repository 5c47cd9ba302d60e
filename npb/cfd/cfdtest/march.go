package cfdtest

import (
	"context"
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

// A March is BT or SP, with the check points of the specification for its first step in class S (section
// 6.1).
type March struct {
	Kernel nas.Kernel // as exported by its package
	March  *cfd.MarchKernel

	RightHandSide, X, Y, Z Norm // norms of the update vector, after each part of the step
	Residual, Error        Norm // norms after the step
}

// published returns the parameters and reference values of a class.
func (m March) published(class nas.Class) []float64 {
	c := m.March.Classes[class]
	values := []float64{float64(c.N), float64(c.Steps), c.Dt}
	return append(append(values, c.Residual[:]...), c.Error[:]...)
}

// Test runs the tests of all kernels, and those that BT and SP share.
func (m March) Test(t *testing.T) {
	nastest.Suite{
		Kernel: m.Kernel, Phases: 7, Heavy: true,
		// The lines of class W do not fill the last vector.
		Verified: map[nas.Class][]int{nas.S: {1, 4, 9, 16}, nas.W: {1, 4, 9}},
		Allowed:  []int{1, 4, 9, 16}, Refused: []int{2, 3, 8, 25},
		Published: m.published,
	}.Test(t)
	t.Run("FirstStep", m.firstStep)
	t.Run("WrongReference", m.wrongReference)
	t.Run("BrokenStep", m.brokenStep)
	t.Run("NoAllocation", m.noAllocation)
	t.Run("PassLevels", m.passLevels)
}

// firstStep follows the first step of class S at every level.
func (m March) firstStep(t *testing.T) {
	for _, level := range nas.Levels() {
		mpitest.Run(t, 1, func(world *mpi.Comm) error {
			s := m.March.NewStepper(world, world, m.March.Classes[nas.S], false, level)
			solve := func(d int) func() error { return func() error { return s.Solve(d) } }
			before := append([]float64(nil), s.Cells[0].U...)
			name := level.String() + ": "
			return Follow(t,
				Point{name + "right-hand side", func() error { return s.RightHandSide(s.Timers, cfd.PhaseFaces, cfd.PhaseRHS) }, s.Update, m.RightHandSide},
				Point{name + "x solve", solve(0), s.Update, m.X},
				Point{name + "y solve", solve(1), s.Update, m.Y},
				Point{name + "z solve", solve(2), func() (Norm, error) { return s.Added(before) }, m.Z},
				Point{name + "residual", nil, s.Residual, m.Residual},
				Point{name + "error", nil, s.Error, m.Error},
			)
		})
	}
}

// wrongReference tests that a wrong result is noticed, by means of a wrong reference.
func (m March) wrongReference(t *testing.T) {
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		problem, err := m.March.Describe(nas.S)
		if err != nil {
			return err
		}
		c := m.March.Classes[nas.S]
		c.Error[3] *= 1 + 1e-7
		r, err := m.March.RunClass(world, nas.Config{Class: nas.S}, problem, c)
		if r.Verdict != nas.Unsuccessful {
			t.Errorf("verdict %v", r.Verdict)
		}
		return err
	})
}

// brokenStep tests failures of either communicator.
func (m March) brokenStep(t *testing.T) {
	mpitest.Run(t, 4, func(world *mpi.Comm) error {
		ctx, cancel := context.WithCancel(t.Context())
		cancel()
		broken := world.WithContext(ctx)
		step := func(faces, solves *mpi.Comm) error {
			return m.March.NewStepper(faces, solves, m.March.Classes[nas.S], false, nas.BestLevel()).Step()
		}
		if err := step(broken, world); !errors.Is(err, context.Canceled) {
			t.Errorf("faces: %v", err)
		}
		if err := step(world, broken); !errors.Is(err, context.Canceled) {
			t.Errorf("solves: %v", err)
		}
		return nil
	})
}

func (m March) noAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 4}, func(world *mpi.Comm) (func() error, error) {
		return m.March.NewStepper(world, world, m.March.Classes[nas.S], true, nas.BestLevel()).Step, nil
	})
}

// passLevels compares the assembly with plain Go on random lines, to 1e-11 of the largest value
// (elimination amplifies rounding errors of its input); invalid lines must not be changed.
func (m March) passLevels(t *testing.T) {
	const n, dt = 24, 0.001
	for _, level := range nas.Levels()[1:] {
		plain, fast := m.March.Lines(n, dt, nas.Plain), m.March.Lines(n, dt, level)
		for d := range 3 {
			for valid := 1; valid <= cfd.Lanes; valid++ {
				want, got := m.pass(plain, d, valid), m.pass(fast, d, valid)
				same(t, level, d, valid, got.R, want.R)
				same(t, level, d, valid, got.U, want.U)
			}
		}
	}
}

// pass runs both passes in direction d over random lines.
func (m March) pass(l *cfd.Lines, d, valid int) *cfd.LineArgs {
	const row, points = 24, 11
	comps := m.March.Comps
	rnd := rand.New(rand.NewPCG(1, uint64(d)))
	a := &cfd.LineArgs{
		U: make([]float64, (points+2)*comps*row+row), R: make([]float64, points*5*row+row),
		State: make([]float64, (points+2*l.Lead)*l.Width*cfd.Lanes), Frame: l.Frame, Rows: l.Rows[d],
		UAt: comps*row + 3, UComp: 8 * row, UStep: 8 * comps * row,
		RAt: 1, RComp: 8 * row, RStep: 8 * 5 * row,
		StateAt: l.Lead * l.Width * cfd.Lanes, StateStep: 8 * l.Width * cfd.Lanes, RowsAt: 3 * cfd.RowWidth,
		N: points, Valid: valid,
	}
	for i := range a.U {
		a.U[i] = 1 + 0.1*rnd.Float64()
		if i/row%comps == 4 && comps > cfd.Sound {
			a.U[i] += 5 // energy enough for a speed of sound
		}
	}
	for i := range a.U {
		if i/row%comps == cfd.Reciprocal {
			a.U[i] = 1 / a.U[i-cfd.Reciprocal*row]
		}
	}
	for i := range a.R {
		a.R[i] = rnd.Float64()
	}
	l.Forward[d](a)
	l.Backward[d](a)
	return a
}

func same(t *testing.T, level nas.Level, d, valid int, got, want []float64) {
	t.Helper()
	for i, x := range want {
		if !(math.Abs(got[i]-x) <= 1e-11*math.Max(1, math.Abs(x))) {
			t.Fatalf("%v, direction %d, %d lines, at %d: got %v, want %v", level, d, valid, i, got[i], x)
		}
	}
}

// Benchmark measures a time step in every class and at every level.
func (m March) Benchmark(b *testing.B) {
	nastest.Benchmark(b, func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error {
		c := m.March.Classes[class]
		s := m.March.NewStepper(world, world, c, false, level)
		for b.Loop() {
			if err := s.Step(); err != nil {
				return err
			}
		}
		b.ReportMetric(1e-6*m.March.Operations(float64(c.N))*float64(b.N)/b.Elapsed().Seconds(), "Mop/s")
		return nil
	})
}
