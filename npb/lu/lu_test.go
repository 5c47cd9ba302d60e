package lu

import (
	"context"
	"errors"
	"fmt"
	"math"
	"testing"

	"rhinet/internal/invariants"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

type norm = [cfd.Components]float64

// near fails the test unless the components agree to the 12 digits or so that the
// specification prints.
func near(t *testing.T, name string, got, want norm) {
	t.Helper()
	for m := range got {
		if d := math.Abs(got[m]/want[m] - 1); !(d <= 2e-11) {
			t.Errorf("%s, component %d: got %.13e, want %.13e", name, m, got[m], want[m])
		}
	}
}

// TestFirstStep follows the first step of class S through the check points of the
// specification (section 6.1).
func TestFirstStep(t *testing.T) {
	for _, level := range nas.Levels() {
		t.Run(level.String(), func(t *testing.T) {
			mpitest.Run(t, 1, func(world *mpi.Comm) error { return firstStep(t, world, level) })
		})
	}
}

func firstStep(t *testing.T, world *mpi.Comm, level nas.Level) error {
	s := newSolver(world, classes[nas.S], false, level)
	check := func(name string, want norm, f func() (norm, error)) error {
		got, err := f()
		near(t, name, got, want)
		return err
	}
	return errors.Join(
		check("initial error", norm{4.9319450145218e+02, 4.2205889852837e+01, 1.2473308026573e+02, 1.0835322270736e+02, 8.9280241118725e+02}, s.error),
		s.residual(),
		check("initial residual", norm{6.7877440849324e+04, 6.8656671466445e+03, 1.7373916450581e+04, 1.4653216460274e+04, 9.7682415991639e+04}, s.norm),
		s.lowerSweep(),
		check("lower sweep", norm{1.6808506821738e+02, 1.7463426659665e+01, 4.3659381414592e+01, 3.7078958079488e+01, 2.5324570564868e+02}, s.norm),
		s.upperSweep(),
		check("upper sweep", norm{2.6896326172295e+02, 2.5399261424738e+01, 6.7572315895505e+01, 5.7570574959796e+01, 4.2231626432193e+02}, s.norm),
		s.residual(),
		check("residual", norm{1.5158644695603e+04, 1.3803294626106e+03, 3.7974128231809e+03, 3.2431862754426e+03, 2.4540323299655e+04}, s.norm),
	)
}

// TestClassS verifies class S on several decompositions.
func TestClassS(t *testing.T) {
	for _, procs := range []int{1, 2, 4, 6, 9} {
		t.Run(fmt.Sprint(procs), func(t *testing.T) {
			mpitest.Run(t, procs, func(world *mpi.Comm) error {
				r, err := Run(world, nas.Config{Class: nas.S, Timers: procs == 4})
				if err == nil && world.Rank() == 0 && r.Verdict != nas.Successful {
					t.Errorf("%v: %+v", r.Verdict, r.Checks)
				}
				return err
			})
		})
	}
}

// TestClassW verifies the next class, whose lines do not fill the last vector.
func TestClassW(t *testing.T) {
	if testing.Short() || nas.BestLevel() == nas.Plain {
		t.Skip("takes seconds")
	}
	for _, procs := range []int{1, 2, 4} {
		mpitest.Run(t, procs, func(world *mpi.Comm) error {
			r, err := Run(world, nas.Config{Class: nas.W})
			if err == nil && world.Rank() == 0 && r.Verdict != nas.Successful {
				t.Errorf("%d ranks: %v: %+v", procs, r.Verdict, r.Checks)
			}
			return err
		})
	}
}

// A run with another number of steps has no reference values.
func TestOtherSteps(t *testing.T) {
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		steps := 0
		r, err := Run(world, nas.Config{Class: nas.S, Iterations: 2, Progress: func(k, n int) { steps = k*10 + n }})
		if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || steps != 22 {
			t.Errorf("verdict %v, class %v, progress %d", r.Verdict, r.Class, steps)
		}
		return err
	})
}

// A wrong result must be seen: here it is the reference that is wrong.
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

func TestAllowed(t *testing.T) {
	var count *nas.CountError
	for _, procs := range []int{0, 3, 5, 7, 10, 18} {
		if err := Allowed(procs, nas.S); !errors.As(err, &count) {
			t.Errorf("class S on %d ranks: %v", procs, err)
		}
	}
	if got := fmt.Sprint(count.Allowed); got != "[1 2 4 6 8 9 12 16]" {
		t.Errorf("allowed counts: %s", got)
	}
	var class *nas.ClassError
	if err := Allowed(4, 'X'); !errors.As(err, &class) {
		t.Errorf("class X: %v", err)
	}
	mpitest.Run(t, 3, func(world *mpi.Comm) error {
		var count *nas.CountError
		if _, err := Run(world, nas.Config{Class: nas.S}); !errors.As(err, &count) {
			t.Errorf("class S on 3 ranks: %v", err)
		}
		return nil
	})
}

// The timed section must not allocate, with one rank or with several.
func TestNoAllocation(t *testing.T) {
	if invariants.Enabled {
		t.Skip("checks and the race detector allocate")
	}
	for _, procs := range []int{1, 4} {
		mpitest.Run(t, procs, func(world *mpi.Comm) error {
			s := newSolver(world, classes[nas.S], true, nas.BestLevel())
			var err error
			step := func() { err = errors.Join(err, s.step()) }
			const runs = 5
			for range 20 { // fills pools
				step()
			}
			// What is counted is that of all ranks: none is before or behind. A
			// pool of the transport may grow at any step, by the luck of who
			// arrives first; what a step itself allocates shows in every batch.
			least := 1e9
			for range 10 {
				err = errors.Join(err, mpi.Barrier(world))
				if world.Rank() == 0 {
					least = min(least, testing.AllocsPerRun(runs, step))
				} else {
					for range runs + 1 {
						step()
					}
				}
			}
			if world.Rank() == 0 && least != 0 {
				t.Errorf("a step of %d ranks allocates %v times", procs, least)
			}
			return errors.Join(err, mpi.Barrier(world))
		})
	}
}

func BenchmarkStep(b *testing.B) {
	for _, class := range []nas.Class{nas.S, nas.W, nas.A} {
		for _, level := range nas.Levels() {
			b.Run(class.String()+"/"+level.String(), func(b *testing.B) { benchmarkStep(b, classes[class], level) })
		}
	}
}

func benchmarkStep(b *testing.B, c params, level nas.Level) {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		s := newSolver(world, c, false, level)
		for b.Loop() {
			if err := s.step(); err != nil {
				return err
			}
		}
		b.ReportMetric(1e-6*operations(float64(c.n))*float64(b.N)/b.Elapsed().Seconds(), "Mop/s")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}

// A communicator that fails ends the run with its error, wherever it is used.
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
