package lu

import (
	"context"
	"errors"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/cfd/cfdtest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	nastest.Suite{
		Kernel: Kernel(), Phases: 6, Heavy: true,
		// The lines of class W do not fill the last vector.
		Verified: map[nas.Class][]int{nas.S: {1, 2, 4, 6, 9}, nas.W: {1, 2, 4}},
		Allowed:  []int{1, 2, 4, 6, 8, 9, 12, 16}, Refused: []int{3, 5, 7, 10, 18},
		Published: func(class nas.Class) []float64 {
			c := classes[class]
			values := []float64{float64(c.n), float64(c.steps), c.dt}
			return append(append(append(values, c.residual[:]...), c.error[:]...), c.surface)
		},
	}.Test(t)
}

// TestFirstStep compares the first step of class S with the check points of the specification (section
// 6.1).
func TestFirstStep(t *testing.T) {
	for _, level := range nas.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			mpitest.Run(t, 1, func(world *mpi.Comm) error { return firstStep(t, world, level) })
		})
	}
}

func firstStep(t *testing.T, world *mpi.Comm, level nas.Level) error {
	s := newSolver(world, classes[nas.S], false, level)
	return cfdtest.Follow(t,
		cfdtest.Point{Name: "initial error", Norm: s.error, Want: vector{4.9319450145218e+02, 4.2205889852837e+01, 1.2473308026573e+02, 1.0835322270736e+02, 8.9280241118725e+02}},
		cfdtest.Point{Name: "initial residual", Do: s.residual, Norm: s.norm, Want: vector{6.7877440849324e+04, 6.8656671466445e+03, 1.7373916450581e+04, 1.4653216460274e+04, 9.7682415991639e+04}},
		cfdtest.Point{Name: "lower sweep", Do: s.lowerSweep, Norm: s.norm, Want: vector{1.6808506821738e+02, 1.7463426659665e+01, 4.3659381414592e+01, 3.7078958079488e+01, 2.5324570564868e+02}},
		cfdtest.Point{Name: "upper sweep", Do: s.upperSweep, Norm: s.norm, Want: vector{2.6896326172295e+02, 2.5399261424738e+01, 6.7572315895505e+01, 5.7570574959796e+01, 4.2231626432193e+02}},
		cfdtest.Point{Name: "residual", Do: s.residual, Norm: s.norm, Want: vector{1.5158644695603e+04, 1.3803294626106e+03, 3.7974128231809e+03, 3.2431862754426e+03, 2.4540323299655e+04}},
	)
}

// A wrong result must be detected: here the reference is wrong.
func TestVerificationFails(t *testing.T) {
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		c := classes[nas.S]
		c.surface *= 1 + 1e-7
		r, err := runClass(world, nas.Config{Class: nas.S}, c)
		if r.Verdict != nas.Unsuccessful {
			t.Errorf("verdict %v", r.Verdict)
		}
		return err
	})
}

// If a communicator fails, the run ends with its error, wherever it is used.
func TestCommunicationFails(t *testing.T) {
	mpitest.Run(t, 4, func(world *mpi.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		broken := world.WithContext(ctx)
		s := newSolver(broken, classes[nas.S], false, nas.BestLevel())
		_, surface := s.surface()
		_, norm := s.error()
		for name, err := range map[string]error{
			"lower": s.lowerSweep(), "upper": s.upperSweep(), "step": s.step(), "residual": s.residual(),
			"surface": surface, "error": norm, "verify": s.verify(&nas.Result{}, vector{}, true),
		} {
			if !errors.Is(err, context.Canceled) {
				t.Errorf("%s: %v", name, err)
			}
		}
		if _, err := Run(broken, nas.Config{Class: nas.S}); !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		return nil
	})
}

func TestNoAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 4}, func(world *mpi.Comm) (func() error, error) {
		return newSolver(world, classes[nas.S], true, nas.BestLevel()).step, nil
	})
}

func BenchmarkStep(b *testing.B) {
	nastest.Benchmark(b, func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error {
		c := classes[class]
		s := newSolver(world, c, false, level)
		for b.Loop() {
			if err := s.step(); err != nil {
				return err
			}
		}
		b.ReportMetric(1e-6*operations(float64(c.n))*float64(b.N)/b.Elapsed().Seconds(), "Mop/s")
		return nil
	})
}
