package cg

import (
	"errors"
	"math"
	"math/rand/v2"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	nastest.Suite{
		Kernel: Kernel(), Phases: 6,
		Verified: map[nas.Class][]int{nas.S: {1, 2, 4, 8, 16}, nas.W: {1, 2, 4}},
		Allowed:  []int{1, 2, 4, 8, 16, 64}, Refused: []int{3, 6, 12},
		Published: func(class nas.Class) []float64 {
			p := classes()[class]
			return []float64{float64(p.na), float64(p.nonzer), float64(p.niter), p.shift, p.zeta}
		},
	}.Test(t)
}

func TestEstimatePerIteration(t *testing.T) {
	want := []float64{9.9986441579140, 8.5733279203222, 8.5954510374058, 8.5969972340737, 8.5971549151767}
	for _, n := range []int{1, 2, 4} {
		mpitest.Run(t, n, func(world *mpi.Comm) error {
			s, err := newSolver(world, classes()[nas.S], nas.BestLevel(), false)
			if err != nil {
				return err
			}
			for it, w := range want {
				zeta, err := s.iterate()
				if err != nil {
					return err
				}
				if math.Abs(zeta-w) > 1e-12*w || s.rnorm > 1e-11 {
					t.Errorf("%d ranks, iteration %d: zeta %.13f, want %.13f; rnorm %g", n, it+1, zeta, w, s.rnorm)
				}
			}
			return s.free()
		})
	}
}

// The linear system of an outer iteration gets exactly 25 steps (section 3.1), each with one product with
// the whole matrix, and one more for the residual. Fewer steps would also verify, because the estimate has
// converged by then.
func TestInnerIterations(t *testing.T) {
	if inner != 25 {
		t.Errorf("%d inner iterations, the benchmark has 25", inner)
	}
	for _, n := range []int{1, 4} {
		mpitest.Run(t, n, func(world *mpi.Comm) error {
			s, err := newSolver(world, classes()[nas.S], nas.BestLevel(), false)
			if err != nil {
				return err
			}
			rows, plain := 0, s.product
			s.product = func(out []float64, a *matrix, x []float64, from, to int) {
				rows += to - from
				plain(out, a, x, from, to)
			}
			if _, err := s.iterate(); err != nil {
				return err
			}
			if all := len(s.a.start) - 1; rows != 26*all {
				t.Errorf("rank %d of %d: %d rows of products, want 26 times %d", world.Rank(), n, rows, all)
			}
			return s.free()
		})
	}
}

// Elements of a block are addressed by positions of 32 bits.
func TestFewestProcesses(t *testing.T) {
	var count *nas.CountError
	if err := Allowed(2, nas.E); !errors.As(err, &count) || count.Allowed[0] != 4 {
		t.Errorf("class E on 2 ranks: %v", err)
	}
	if err := Allowed(1, nas.D); err != nil {
		t.Errorf("class D on 1 rank: %v", err)
	}
}

func TestOtherIterationsAreNotVerified(t *testing.T) {
	r := nastest.Run(t, Kernel(), 2, nas.Config{Class: nas.S, Iterations: 3})
	if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || r.Iterations != 3 {
		t.Errorf("%+v", r)
	}
	if got := r.Checks[0].Computed; math.Abs(got-8.5954510374058) > 1e-11 {
		t.Errorf("zeta after 3 iterations %v", got)
	}
}

func TestWrongEstimateIsUnsuccessful(t *testing.T) {
	p := classes()[nas.S]
	for _, zeta := range []float64{p.zeta * (1 + 2e-10), math.NaN()} {
		if r := p.judge(nas.S, p.niter, true, zeta); r.Verdict != nas.Unsuccessful {
			t.Errorf("zeta %v: %v", zeta, r.Verdict)
		}
	}
}

func TestNonzeros(t *testing.T) {
	for class, want := range map[nas.Class]int{nas.S: 78148, nas.W: 508402} {
		p := classes()[class]
		for _, size := range []int{1, 2, 8, 16} {
			got := 0
			for rank := range size {
				g := newGrid(size, rank)
				row0, rows := g.rowRange(p.na)
				col0, cols := g.columnRange(p.na)
				got += len(newMatrix(p, row0, rows, col0, cols).value)
			}
			if got != want {
				t.Errorf("class %s in %d blocks: %d nonzeros, want %d", class, size, got, want)
			}
			if class == nas.W {
				break
			}
		}
	}
}

// The transposed position is symmetric, and its rows are the columns needed.
func TestTransposedOwnsTheColumns(t *testing.T) {
	const na = 1403
	for _, size := range []int{1, 2, 4, 8, 16, 32} {
		for rank := range size {
			g := newGrid(size, rank)
			partner := newGrid(size, g.transposed())
			if partner.transposed() != rank {
				t.Errorf("%d of %d: transposed %d answers to %d", rank, size, g.transposed(), partner.transposed())
			}
			col0, cols := g.columnRange(na)
			row0, rows := partner.rowRange(na)
			start, n := partner.kept(rows)
			if row0+start != col0 || n != cols {
				t.Errorf("%d of %d: needs %d+%d, partner keeps %d+%d", rank, size, col0, cols, row0+start, n)
			}
		}
	}
}

// Every form of the product is compared with the others, for rows of every length and both sizes of
// columns.
func TestProductsAgree(t *testing.T) {
	const rows, cols = 70, 90
	rng := rand.New(rand.NewPCG(9, 10))
	short := &matrix{start: make([]int32, rows+1)}
	var all []uint32
	want := make([]float64, rows)
	x := make([]float64, cols)
	for i := range x {
		x[i] = rng.Float64() - 0.5
	}
	for i := range rows {
		for range i {
			j, v := rng.IntN(cols), rng.Float64()
			all, short.value = append(all, uint32(j)), append(short.value, v)
			want[i] += v * x[j]
		}
		short.start[i+1] = int32(len(all))
	}
	long := *short
	long.setColumns(all, 1<<16+1)
	short.setColumns(all, cols)
	if long.short != nil || short.short == nil {
		t.Fatal("columns are not kept in the smallest form")
	}
	for _, level := range nas.Levels() {
		for _, a := range []*matrix{short, &long} {
			got := make([]float64, rows)
			p := newProduct(level)
			p(got, a, x, 0, 20)
			p(got, a, x, 20, 20)
			p(got, a, x, 20, rows)
			for i := range got {
				if math.Abs(got[i]-want[i]) > 1e-13 {
					t.Errorf("%v, short %v: row of length %d gives %v, want %v", level, a.short != nil, i, got[i], want[i])
				}
			}
		}
	}
}

func TestNoAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 2, 4}, func(world *mpi.Comm) (func() error, error) {
		s, err := newSolver(world, classes()[nas.S], nas.BestLevel(), true)
		return func() error {
			_, err := s.iterate()
			return err
		}, err
	})
}

func BenchmarkIterate(b *testing.B) {
	nastest.Benchmark(b, func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error {
		p := classes()[class]
		s, err := newSolver(world, p, level, false)
		if err != nil {
			return err
		}
		for b.Loop() {
			if _, err := s.iterate(); err != nil {
				return err
			}
		}
		b.ReportMetric(p.operations(b.N)/b.Elapsed().Seconds()/1e6, "Mop/s")
		return nil
	})
}
