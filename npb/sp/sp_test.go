package sp

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
	s := newStepper(world, world, classes[nas.S], false, level)
	check := func(name string, want norm, f func() (norm, error)) error {
		got, err := f()
		near(t, name, got, want)
		return err
	}
	if err := s.RightHandSide(s.Timers, 0, 1); err != nil {
		return err
	}
	before := append([]float64(nil), s.Cells[0].U...)
	return errors.Join(
		check("T_in", norm{3.2788469634402e+02, 1.2096224265622e-01, 9.2342141453173e-02, 9.6335500464870e-01, 9.1946826357600e-01}, s.Update),
		s.Solve(0),
		check("x solve and T_x", norm{9.8045161786558e-02, 2.0807923499055e+02, 5.4415913025600e-02, 7.4327501855050e-01, 6.7821076127067e-01}, s.Update),
		s.Solve(1),
		check("y solve and T_y", norm{6.1145557040209e-02, 4.3514030636385e-02, 1.4582057941780e+02, 5.6941685558732e-01, 4.7838326657572e-01}, s.Update),
		s.Solve(2),
		check("z solve and T_z", norm{2.1757666889281e+02, 2.2159460614480e+01, 5.6640817962112e+01, 4.9374110254586e+01, 3.6030508404948e+02},
			func() (norm, error) { return s.Added(before) }),
		check("residual", norm{3.1104879395394e+04, 2.7469904155222e+03, 7.5716258562911e+03, 6.3543275136937e+03, 4.3865749584545e+04}, s.Residual),
		check("error", norm{2.9783807868691e+02, 2.1924520944381e+01, 7.3278847362706e+01, 6.3378463851743e+01, 5.7144179412877e+02}, s.Error),
	)
}

// TestClassS verifies class S on every small square of ranks, and that all of them
// report the problem.
func TestClassS(t *testing.T) {
	for _, procs := range []int{1, 4, 9, 16} {
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
	for _, procs := range []int{1, 4} {
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
		c.Error[3] *= 1 + 1e-7
		r, err := runClass(world, nas.Config{Class: nas.S}, c)
		if r.Verdict != nas.Unsuccessful {
			t.Errorf("verdict %v", r.Verdict)
		}
		return err
	})
}

func TestAllowed(t *testing.T) {
	var count *nas.CountError
	for _, procs := range []int{0, 2, 3, 8, 25} {
		if err := Allowed(procs, nas.S); !errors.As(err, &count) {
			t.Errorf("class S on %d ranks: %v", procs, err)
		}
	}
	if got := fmt.Sprint(count.Allowed); got != "[1 4 9 16]" {
		t.Errorf("allowed counts: %s", got)
	}
	var class *nas.ClassError
	if err := Allowed(4, 'X'); !errors.As(err, &class) {
		t.Errorf("class X: %v", err)
	}
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		var count *nas.CountError
		if _, err := Run(world, nas.Config{Class: nas.S}); !errors.As(err, &count) {
			t.Errorf("class S on 2 ranks: %v", err)
		}
		return nil
	})
}

// A communicator that fails ends the run with its error, wherever it is used.
func TestCommunicationFails(t *testing.T) {
	mpitest.Run(t, 4, func(world *mpi.Comm) error {
		ctx, cancel := context.WithCancel(context.Background())
		cancel()
		broken := world.WithContext(ctx)
		if _, err := Run(broken, nas.Config{Class: nas.S}); !errors.Is(err, context.Canceled) {
			t.Errorf("Run: %v", err)
		}
		if err := newStepper(broken, world, classes[nas.S], false, nas.BestLevel()).Step(); !errors.Is(err, context.Canceled) {
			t.Errorf("faces: %v", err)
		}
		if err := newStepper(world, broken, classes[nas.S], false, nas.BestLevel()).Step(); !errors.Is(err, context.Canceled) {
			t.Errorf("solves: %v", err)
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
			s := newStepper(world, world, classes[nas.S], true, nas.BestLevel())
			var err error
			step := func() { err = errors.Join(err, s.Step()) }
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

func benchmarkStep(b *testing.B, c cfd.MarchClass, level nas.Level) {
	err := mpitest.World(1, func(world *mpi.Comm) error {
		s := newStepper(world, world, c, false, level)
		for b.Loop() {
			if err := s.Step(); err != nil {
				return err
			}
		}
		b.ReportMetric(1e-6*operations(float64(c.N))*float64(b.N)/b.Elapsed().Seconds(), "Mop/s")
		return nil
	})
	if err != nil {
		b.Fatal(err)
	}
}
