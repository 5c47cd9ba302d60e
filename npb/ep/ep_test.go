package ep

import (
	"fmt"
	"math"
	"math/rand/v2"
	"strings"
	"testing"

	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	want := map[nas.Class]struct {
		pairs  int64
		counts []int64
	}{
		nas.S: {13176389, []int64{6140517, 5865300, 1100361, 68546, 1648, 17, 0, 0, 0, 0}},
		nas.W: {26354769, []int64{12281576, 11729692, 2202726, 137368, 3371, 36, 0, 0, 0, 0}},
	}
	nastest.Suite{
		Kernel: Kernel(), Phases: 3,
		Verified: map[nas.Class][]int{nas.S: {1, 2, 3, 4}, nas.W: {1, 2, 4}},
		Check: func(t *testing.T, r nas.Result) {
			text := strings.Join(r.Details, "\n")
			if pairs := fmt.Sprint("Gaussian Pairs = ", want[r.Class].pairs); !strings.Contains(text, pairs) {
				t.Errorf("%s on %d ranks: want %q in\n%s", r.Class, r.Processes, pairs, text)
			}
			for i, n := range want[r.Class].counts {
				if line := fmt.Sprintf("\n%d %15d", i, n); !strings.Contains(text, line) {
					t.Errorf("%s on %d ranks: want count %q in\n%s", r.Class, r.Processes, line, text)
				}
			}
		},
		Allowed: []int{1, 2, 3, 7, 16, 256}, Refused: []int{257},
		Published: func(class nas.Class) []float64 {
			p := classes()[class]
			return []float64{float64(p.m), p.sx, p.sy}
		},
	}.Test(t)
}

func TestWrongSumIsUnsuccessful(t *testing.T) {
	p := classes()[nas.S]
	cfg := nas.Config{Class: nas.S}
	r := result(cfg, p, &tally{sums: [2]float64{p.sx, p.sy * (1 + 2e-8)}})
	if r.Verdict != nas.Unsuccessful || !r.Checks[0].OK || r.Checks[1].OK {
		t.Errorf("%v %+v", r.Verdict, r.Checks)
	}
	r = result(cfg, p, &tally{sums: [2]float64{math.NaN(), p.sy}})
	if r.Verdict != nas.Unsuccessful {
		t.Errorf("NaN: %v", r.Verdict)
	}
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

// minusTwoLogError is the documented absolute error.
func minusTwoLogError(x float64) float64 {
	if x > 63.0/64 {
		return 0
	}
	return 0x1p-51
}

// slowAdd is a straightforward loop that follows the specification; the adders are compared with it.
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
