package ft

import (
	"math"
	"math/cmplx"
	"math/rand/v2"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	nastest.Suite{
		Kernel: Kernel(), Phases: 7,
		Verified: map[nas.Class][]int{nas.S: {1, 2, 4, 16, 64, 128}, nas.W: {1, 2, 4}},
		Check: func(t *testing.T, r nas.Result) {
			// The error of a correct transform is far below the tolerance.
			for _, c := range r.Checks {
				if !(c.Difference < 2e-13) {
					t.Errorf("%s on %d ranks: %+v", r.Class, r.Processes, c)
				}
			}
		},
		Allowed: []int{1, 2, 4, 8, 16, 32, 64, 128, 4096}, Refused: []int{3, 96, 8192},
		Published: func(class nas.Class) []float64 {
			p := classes()[class]
			values := []float64{float64(p.nx), float64(p.ny), float64(p.nz), float64(p.niter)}
			for _, c := range p.checksums {
				values = append(values, real(c), imag(c))
			}
			return values
		},
	}.Test(t)
}

func TestOtherIterationsAreNotVerified(t *testing.T) {
	for _, n := range []int{2, 7} {
		r := nastest.Run(t, Kernel(), 2, nas.Config{Class: nas.S, Iterations: n})
		if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || r.Iterations != n || len(r.Checks) != n || !r.Checks[1].OK {
			t.Errorf("%+v", r)
		}
	}
}

func TestWrongChecksumIsUnsuccessful(t *testing.T) {
	p := classes()[nas.S]
	for _, wrong := range []complex128{p.checksums[3] * (1 + 2e-12i), cmplx.NaN()} {
		sums := append([]complex128(nil), p.checksums...)
		if r := p.judge(nas.S, p.niter, true, sums); r.Verdict != nas.Successful {
			t.Errorf("the reference values: %v", r.Verdict)
		}
		sums[3] = wrong
		if r := p.judge(nas.S, p.niter, true, sums); r.Verdict != nas.Unsuccessful || r.Checks[3].OK || !r.Checks[2].OK {
			t.Errorf("wrong checksum %v: %v", wrong, r.Verdict)
		}
	}
}

// The fast transform is compared with the definition of the transform.
func TestTransformOfOneLength(t *testing.T) {
	for _, level := range nas.Levels() {
		for _, n := range []int{4, 8, 16, 32, 64, 128, 512} {
			transformsRight(t, newKernels(level), n)
		}
	}
}

func transformsRight(t *testing.T, k *kernels, n int) {
	rng := rand.New(rand.NewPCG(3, 4))
	p := newPlan(n)
	work := make([]float64, n*cell)
	for i := range work {
		work[i] = rng.Float64() - 0.5
	}
	in := append([]float64(nil), work...)
	p.transform(k, work)
	for lane := range lanes {
		for f := 0; f < n; f += 1 + n/64 {
			var want complex128
			for j := range n {
				angle := 2 * math.Pi * float64(j*f%n) / float64(n)
				want += complex(in[j*cell+lane], in[j*cell+lane+lanes]) * cmplx.Rect(1, angle)
			}
			at := int(p.place[f])*cell + lane
			if got := complex(work[at], work[at+lanes]); cmplx.Abs(got-want) > 1e-13*float64(n) {
				t.Fatalf("length %d, lane %d, frequency %d: %v, want %v", n, lane, f, got, want)
			}
		}
	}
}

// Every loop in assembly computes exactly the same as its Go form, and changes nothing else.
func TestLevelsAgree(t *testing.T) {
	const n, stride = 16, 20 * cell
	rng := rand.New(rand.NewPCG(5, 6))
	numbers := func(n int) []float64 {
		s := make([]float64, n)
		for i := range s {
			s[i] = rng.Float64() - 0.5
		}
		return s
	}
	place := make([]int32, n)
	for i, p := range rng.Perm(n) {
		place[i] = int32(p)
	}
	far, work, ex, ez := numbers(n*stride), numbers((n+1)*cell), numbers(lanes), numbers(n)
	plan := newPlan(n)
	calls := map[string]func(k *kernels, far, work []float64){
		"radixFour": func(k *kernels, _, work []float64) { k.radixFour(work[:n*cell], n/4, plan.stages[0].roots) },
		"lastFour":  func(k *kernels, _, work []float64) { k.lastFour(work[:n*cell]) },
		"lastTwo":   func(k *kernels, _, work []float64) { k.lastTwo(work[:n*cell]) },
		"take":      func(k *kernels, far, work []float64) { k.take(work, n, far, cell, stride) },
		"put":       func(k *kernels, far, work []float64) { k.put(far, cell, stride, work, place) },
		"takeEvolved": func(k *kernels, far, work []float64) {
			k.takeEvolved(work, far, cell, stride, (*[lanes]float64)(ex), 0.7, ez)
		},
		"takeTransposed": func(k *kernels, far, work []float64) { k.takeTransposed(work, n, far, cell, stride) },
		"putTransposed":  func(k *kernels, far, work []float64) { k.putTransposed(far, cell, stride, work, place) },
	}
	for name, call := range calls {
		wantFar, wantWork := slices.Clone(far), slices.Clone(work)
		call(newKernels(nas.Plain), wantFar, wantWork)
		if slices.Equal(wantFar, far) && slices.Equal(wantWork, work) {
			t.Errorf("%s changes nothing", name)
		}
		for _, level := range nas.Levels()[1:] {
			gotFar, gotWork := slices.Clone(far), slices.Clone(work)
			call(newKernels(level), gotFar, gotWork)
			if !close(gotFar, wantFar) || !close(gotWork, wantWork) {
				t.Errorf("%s for %v differs from Go", name, level)
			}
		}
	}
}

func close(got, want []float64) bool {
	for i := range got {
		if math.Abs(got[i]-want[i]) > 1e-15 {
			return false
		}
	}
	return true
}

func TestMovesAreInverse(t *testing.T) {
	const n, stride = 16, 20 * cell
	rng := rand.New(rand.NewPCG(5, 6))
	from := make([]float64, lanes*stride)
	for i := range from {
		from[i] = rng.Float64()
	}
	place := make([]int32, n)
	for i := range place {
		place[i] = int32(i)
	}
	work, back := make([]float64, n*cell), make([]float64, len(from))
	takeTransposed(work, n, from, cell, stride)
	if got, want := work[9*cell+3], from[cell+3*stride+cell+1]; got != want {
		t.Errorf("point 9 of line 3 is %v, want %v", got, want)
	}
	putTransposed(back, cell, stride, work, place)
	for y := range lanes {
		for i := cell; i < cell+2*n; i++ {
			if at := y*stride + i; back[at] != from[at] {
				t.Fatalf("number %d of line %d: %v, want %v", i, y, back[at], from[at])
			}
		}
	}
}

func TestInitialValues(t *testing.T) {
	const nx = 64
	cells := make([]float64, lanes*2*nx)
	initialise(cells, 0, nx)
	if cells[0] != 0.7945219111887383 || cells[lanes] != 0.8690652738745399 ||
		cells[cell] != 0.6476317284643329 || cells[cell+lanes] != 0.7855626502289539 {
		t.Errorf("first values %v", cells[:2*cell])
	}
	r := nas.NewRandom(seed)
	r.Skip(2 * nx * 3)
	if got, want := cells[3], r.Float64(); got != want {
		t.Errorf("first value of line 3 is %v, want %v", got, want)
	}
}

func TestEveryLevelVerifies(t *testing.T) {
	for _, level := range nas.Levels() {
		mpitest.Run(t, 1, func(world *mpi.Comm) error {
			p := classes()[nas.S]
			s := newSolver(world, p, level, false)
			sums := make([]complex128, 2)
			err := solve(s, sums, func(int) error { return nil })
			for i, sum := range sums {
				if d := cmplx.Abs((sum - p.checksums[i]) / p.checksums[i]); !(d < 1e-13) {
					t.Errorf("%v: checksum %d is %v, off by %.2g", level, i+1, sum, d)
				}
			}
			return err
		})
	}
}

func TestNoAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 2, 4}, func(world *mpi.Comm) (func() error, error) {
		s := newSolver(world, classes()[nas.S], nas.BestLevel(), true)
		sums := make([]complex128, 1)
		return func() error { return solve(s, sums, func(int) error { return nil }) }, nil
	})
}

func BenchmarkStep(b *testing.B) {
	nastest.Benchmark(b, func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error {
		p := classes()[class]
		s := newSolver(world, p, level, false)
		s.setUp()
		if err := s.forward(); err != nil {
			return err
		}
		for b.Loop() {
			if err := s.step(); err != nil {
				return err
			}
		}
		b.ReportMetric((p.operations(6)-p.operations(0))/6*float64(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
		return nil
	})
}
