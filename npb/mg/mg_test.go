package mg

import (
	"math"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	nastest.Suite{
		Kernel: Kernel(), Phases: 9,
		Verified: map[nas.Class][]int{nas.S: {1, 2, 4, 8, 16, 32}, nas.W: {1, 2, 4}},
		Allowed:  []int{1, 2, 4, 8, 16, 64, 512}, Refused: []int{3, 6, 1 << 16},
		Published: func(class nas.Class) []float64 {
			p := classes()[class]
			return []float64{float64(p.n), float64(p.niter), p.rnm2}
		},
	}.Test(t)
}

func TestNormPerCycle(t *testing.T) {
	want := []float64{2.4705294220065e-02, 2.9337960976328e-03, 6.3150017906228e-04, 1.7360856792372e-04, 5.3077070057349e-05}
	for _, level := range nas.Levels() {
		for _, n := range []int{1, 4, 64} {
			normsRight(t, n, level, want)
		}
	}
}

func normsRight(t *testing.T, n int, level nas.Level, want []float64) {
	mpitest.Run(t, n, func(world *mpi.Comm) error {
		s := newSolver(world, classes()[nas.S], level, false)
		if err := s.setUp(); err != nil {
			return err
		}
		for it, w := range want {
			if it > 0 {
				if err := s.cycle(); err != nil {
					return err
				}
			}
			if err := s.residual(s.top(), s.v); err != nil {
				return err
			}
			rnm2, _, err := s.norm()
			if err != nil {
				return err
			}
			if world.Rank() == 0 && math.Abs(rnm2-w) > 1e-12*w {
				t.Errorf("%v on %d ranks, cycle %d: norm %.13e, want %.13e", level, n, it, rnm2, w)
			}
		}
		return nil
	})
}

func TestCharges(t *testing.T) {
	const n = 32
	point := func(i, j, k int64) int64 { return i + n*(j+n*k) }
	wantPlus := []int64{point(17, 26, 17), point(28, 0, 28), point(30, 4, 25), point(12, 15, 12), point(21, 31, 6),
		point(1, 16, 21), point(4, 22, 3), point(2, 0, 3), point(19, 29, 31), point(7, 1, 20)}
	wantMinus := []int64{point(0, 11, 2), point(13, 8, 17), point(5, 14, 0), point(4, 28, 15), point(12, 2, 1),
		point(5, 17, 8), point(20, 19, 11), point(26, 15, 31), point(8, 25, 22), point(7, 14, 26)}
	for _, size := range []int{1, 8} {
		mpitest.Run(t, size, func(world *mpi.Comm) error {
			l := newLevel(5, shape(size), world.Rank(), nas.Plain)
			plus, minus, err := findCharges(world, l, n)
			if err != nil {
				return err
			}
			same := func(got, want []int64) bool {
				in := map[int64]bool{}
				for _, p := range want {
					in[p] = true
				}
				for _, p := range got {
					if !in[p] {
						return false
					}
					delete(in, p)
				}
				return len(in) == 0
			}
			if !same(plus, wantPlus) || !same(minus, wantMinus) {
				t.Errorf("%d ranks: charges %v and %v, want %v and %v", size, plus, minus, wantPlus, wantMinus)
			}
			return nil
		})
	}
}

func TestOtherIterationsAreNotVerified(t *testing.T) {
	r := nastest.Run(t, Kernel(), 2, nas.Config{Class: nas.S, Iterations: 1})
	if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || r.Iterations != 1 {
		t.Errorf("%+v", r)
	}
	if got := r.Checks[0].Computed; math.Abs(got-2.9337960976328e-03) > 1e-14 {
		t.Errorf("norm after one cycle %v", got)
	}
}

func TestWrongNormIsUnsuccessful(t *testing.T) {
	p := classes()[nas.S]
	for _, rnm2 := range []float64{p.rnm2 * (1 + 2e-8), math.NaN()} {
		if r := p.judge(nas.S, p.niter, true, rnm2); r.Verdict != nas.Unsuccessful {
			t.Errorf("norm %v: %v", rnm2, r.Verdict)
		}
	}
}

func TestShape(t *testing.T) {
	for procs, want := range map[int][axes]int{1: {1, 1, 1}, 2: {1, 1, 2}, 4: {1, 2, 2}, 8: {2, 2, 2},
		16: {2, 2, 4}, 32: {2, 4, 4}, 64: {4, 4, 4}} {
		if got := shape(procs); got != want {
			t.Errorf("shape(%d) = %v, want %v", procs, got, want)
		}
		for r := range procs {
			if back := rankAt(want, place(want, r)); back != r {
				t.Errorf("rank %d of %d comes back as %d", r, procs, back)
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 2, 4}, func(world *mpi.Comm) (func() error, error) {
		s := newSolver(world, classes()[nas.S], nas.BestLevel(), true)
		return func() error {
			if err := s.residual(s.top(), s.v); err != nil {
				return err
			}
			if err := s.cycle(); err != nil {
				return err
			}
			_, _, err := s.norm()
			return err
		}, s.setUp()
	})
}

func BenchmarkCycle(b *testing.B) {
	nastest.Benchmark(b, func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error {
		p := classes()[class]
		s := newSolver(world, p, level, false)
		if err := s.setUp(); err != nil {
			return err
		}
		for b.Loop() {
			if err := s.cycle(); err != nil {
				return err
			}
			if err := s.residual(s.top(), s.v); err != nil {
				return err
			}
		}
		b.ReportMetric(p.operations(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
		return nil
	})
}
