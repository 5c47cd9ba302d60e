package ep

import (
	"errors"
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// run returns rank 0's result of class on n ranks.
func run(t *testing.T, n int, cfg nas.Config) nas.Result {
	t.Helper()
	var root nas.Result
	mpitest.Run(t, n, func(world *mpi.Comm) error {
		r, err := Run(world, cfg)
		if world.Rank() == 0 {
			root = r
		}
		return err
	})
	return root
}

func TestVerified(t *testing.T) {
	for _, tc := range []struct {
		class nas.Class
		ranks []int
		pairs int64
		q     []int64
	}{
		{nas.S, []int{1, 2, 3, 4}, 13176389, []int64{6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0}},
		{nas.W, []int{1, 2, 4}, 26354769, []int64{12281576, 11729692, 2202726, 137368, 3371, 36, 0, 0, 0, 0}},
	} {
		if testing.Short() && tc.class != nas.S {
			continue
		}
		for _, n := range tc.ranks {
			r := run(t, n, nas.Config{Class: tc.class, Timers: true})
			if r.Verdict != nas.Successful {
				t.Errorf("%s on %d ranks: %v %+v", tc.class, n, r.Verdict, r.Checks)
			}
			text := strings.Join(r.Details, "\n")
			if want := fmt.Sprint("Gaussian Pairs = ", tc.pairs); !strings.Contains(text, want) {
				t.Errorf("%s on %d ranks: want %q in\n%s", tc.class, n, want, text)
			}
			for i, q := range tc.q {
				if want := fmt.Sprintf("\n%d %15d", i, q); !strings.Contains(text, want) {
					t.Errorf("%s on %d ranks: want count %q in\n%s", tc.class, n, want, text)
				}
			}
			if len(r.Phases) != 3 || r.Active != n || r.Iterations != 0 {
				t.Errorf("%s on %d ranks: %+v", tc.class, n, r)
			}
		}
	}
}

func TestWrongSumIsUnsuccessful(t *testing.T) {
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		p := classes()[nas.S]
		r := result(world, nas.Config{Class: nas.S}, p, &tally{sums: [2]float64{p.sx, p.sy * (1 + 2e-8)}}, 1, nil)
		if r.Verdict != nas.Unsuccessful || !r.Checks[0].OK || r.Checks[1].OK {
			t.Errorf("%v %+v", r.Verdict, r.Checks)
		}
		r = result(world, nas.Config{Class: nas.S}, p, &tally{sums: [2]float64{math.NaN(), p.sy}}, 1, nil)
		if r.Verdict != nas.Unsuccessful {
			t.Errorf("NaN: %v", r.Verdict)
		}
		return nil
	})
}

func TestAllowed(t *testing.T) {
	for _, n := range []int{1, 2, 3, 7, 16, 256} {
		if err := Allowed(n, nas.S); err != nil {
			t.Error(err)
		}
	}
	var count *nas.CountError
	if err := Allowed(257, nas.S); !errors.As(err, &count) || len(count.Allowed) != 256 {
		t.Errorf("257 ranks: %v", err)
	}
	var class *nas.ClassError
	if err := Allowed(1, 'X'); !errors.As(err, &class) {
		t.Errorf("class X: %v", err)
	}
	if _, err := Describe('X'); !errors.As(err, &class) {
		t.Errorf("class X: %v", err)
	}
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		if _, err := Run(world, nas.Config{Class: 'X'}); !errors.As(err, &class) {
			t.Errorf("Run class X: %v", err)
		}
		return nil
	})
}

func TestMinusTwoLog(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 2))
	check := func(x float64) {
		t.Helper()
		want := -2 * math.Log(x)
		if got := minusTwoLog(x); !(math.Abs(got-want) <= max(0x1p-50*want, minusTwoLogError(x))) {
			t.Errorf("minusTwoLog(%v) = %v, want %v: %.2g off", x, got, want, got-want)
		}
	}
	for range 200000 {
		check(rng.Float64() + 1e-300)
		check(math.Exp(-60 * rng.Float64()))
		check(1 - math.Exp(-3-30*rng.Float64()))
	}
	if got := minusTwoLog(1); got != 0 {
		t.Errorf("minusTwoLog(1) = %v", got)
	}
	check(math.Nextafter(1, 0))
	check(0x1p-89)
}

// minusTwoLogError is the absolute error that is documented.
func minusTwoLogError(x float64) float64 {
	if x > 63.0/64 {
		return 0
	}
	return 0x1p-51
}

// The straightforward loop over the specification judges the adders.
func slowAdd(t *tally, x uint64, n int) {
	r := nas.NewRandom(x)
	for range n {
		x := 2*r.Float64() - 1
		y := 2*r.Float64() - 1
		s := float64(x*x) + float64(y*y)
		if s > 1 {
			continue
		}
		f := math.Sqrt(-2 * math.Log(s) / s)
		t.sums[0] += x * f
		t.sums[1] += y * f
		t.q[int(max(math.Abs(x*f), math.Abs(y*f)))]++
	}
}

func TestAddersAgree(t *testing.T) {
	for _, level := range nas.Levels() {
		add := newAdder(level)
		for _, b := range []uint64{0, 1, 2, 255} {
			x := nas.Skip(seed, b<<(batchLog+1))
			var got, want tally
			add(&got, x, 1<<batchLog)
			slowAdd(&want, x, 1<<batchLog)
			if got.q != want.q {
				t.Errorf("%v, batch %d: counts %v, want %v", level, b, got.q, want.q)
			}
			if math.Abs(got.sums[0]-want.sums[0]) > 1e-10 || math.Abs(got.sums[1]-want.sums[1]) > 1e-10 {
				t.Errorf("%v, batch %d: sums %v %v, want %v %v", level, b, got.sums[0], got.sums[1], want.sums[0], want.sums[1])
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	for _, level := range nas.Levels() {
		add := newAdder(level)
		var sum tally
		if n := testing.AllocsPerRun(5, func() { add(&sum, seed, blockPairs) }); n != 0 {
			t.Errorf("%v: %v allocations", level, n)
		}
	}
}

func BenchmarkAdd(b *testing.B) {
	for _, level := range nas.Levels() {
		add := newAdder(level)
		b.Run(level.String(), func(b *testing.B) {
			var sum tally
			for b.Loop() {
				add(&sum, seed, 1<<batchLog)
			}
			b.ReportMetric(float64(b.N)*(2<<batchLog)/b.Elapsed().Seconds()/1e6, "Mop/s")
		})
	}
}
