package is

import (
	"errors"
	"math"
	"slices"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
	"rhinet/npb/nas/nastest"
)

func TestKernel(t *testing.T) {
	nastest.Suite{
		Kernel: Kernel(), Phases: 5,
		Verified: map[nas.Class][]int{nas.S: {1, 2, 4, 8, 16}, nas.W: {1, 2, 4}},
		Allowed:  []int{1, 2, 4, 8, 16, 128}, Refused: []int{3, 256},
		Published: func(class nas.Class) []float64 {
			p := classes()[class]
			values := []float64{float64(p.keysLog), float64(p.rangeLog), float64(p.bucketsLog), float64(p.minProcs), float64(p.maxProcs)}
			for _, at := range p.position {
				values = append(values, float64(at))
			}
			for it := 1; it <= iterations; it++ {
				for i := range tests {
					values = append(values, float64(p.expected(i, it)))
				}
			}
			return values
		},
	}.Test(t)
}

func TestOtherIterationsAreNotVerified(t *testing.T) {
	for _, n := range []int{3, 12} {
		r := nastest.Run(t, Kernel(), 2, nas.Config{Class: nas.S, Iterations: n})
		if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || r.Iterations != n || !r.Checks[1].OK {
			t.Errorf("%+v", r)
		}
	}
}

func TestWrongRankIsUnsuccessful(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		p := classes()[nas.S]
		p.rank[2]++
		s := newSorter(world, p, false)
		for it := 1; it <= iterations; it++ {
			if err := s.iterate(it); err != nil {
				return err
			}
		}
		r, err := s.result(nas.S, iterations, true)
		if r.Verdict != nas.Unsuccessful || r.Checks[0].Computed != 40 || !r.Checks[1].OK {
			t.Errorf("%v %+v", r.Verdict, r.Checks)
		}
		return err
	})
}

func TestDisorderIsNoticed(t *testing.T) {
	for _, tc := range []struct {
		name   string
		counts [2][]int32 // per rank, as after an iteration
		own    [2][]int32
		want   [2]bool
	}{
		{"order", [2][]int32{{0, 1, 2}, {0, 0, 0, 2}}, [2][]int32{{2, 1}, {3, 3}}, [2]bool{true, true}},
		{"between ranks", [2][]int32{{0, 1, 2}, {0, 1, 1, 2}}, [2][]int32{{2, 1}, {3, 1}}, [2]bool{true, false}},
		{"within a rank", [2][]int32{{0, 2, 1}, {0, 0, 0, 2}}, [2][]int32{{2, 1}, {3, 3}}, [2]bool{false, true}},
		{"no keys", [2][]int32{{0, 1, 2}, nil}, [2][]int32{{2, 1}, nil}, [2]bool{true, true}},
	} {
		mpitest.Run(t, 2, func(world *mpi.Comm) error {
			s := newSorter(world, classes()[nas.S], false)
			s.counts, s.parts[s.rank] = tc.counts[s.rank], tc.own[s.rank]
			ok, err := s.sorted()
			if ok != tc.want[s.rank] {
				t.Errorf("%s: rank %d says sorted = %v", tc.name, s.rank, ok)
			}
			return err
		})
	}
}

func TestKeys(t *testing.T) {
	for class, want := range map[nas.Class][]int32{
		nas.S: {1585, 825, 1060, 1343, 956, 437, 759, 841},
		nas.W: {50737, 26409, 33921, 42989, 30600, 13998, 24301, 26921},
		nas.A: {405901, 211274, 271374, 343919, 244803, 111984, 194409, 215372},
	} {
		p := classes()[class]
		keys, tail := make([]int32, 8), make([]int32, 3)
		generate(keys, 0, p.rangeLog)
		generate(tail, 5, p.rangeLog)
		if !slices.Equal(keys, want) || !slices.Equal(tail, want[5:]) {
			t.Errorf("class %s: keys %v and %v, want %v", class, keys, tail, want)
		}
	}
	p := classes()[nas.S]
	keys := make([]int32, p.keys())
	generate(keys, 0, p.rangeLog)
	var test []int32
	for _, g := range p.position {
		test = append(test, keys[g])
	}
	if want := []int32{50, 158, 310, 1697, 1855}; !slices.Equal(test, want) {
		t.Errorf("test keys %v, want %v", test, want)
	}
	if lo, hi := slices.Min(keys), slices.Max(keys); lo != 50 || hi != 1973 {
		t.Errorf("keys from %d to %d, want 50 to 1973", lo, hi)
	}
}

func TestExpectedRanks(t *testing.T) {
	for _, tc := range []struct {
		class nas.Class
		it    int
		want  [tests]int64
	}{
		{nas.S, 10, [tests]int64{10, 28, 356, 64907, 65453}},
		{nas.W, 1, [tests]int64{1248, 11697, 1039986, 1043895, 1048017}},
		{nas.W, 10, [tests]int64{1257, 11706, 1039977, 1043886, 1048008}},
		{nas.A, 1, [tests]int64{104, 17523, 123928, 8288932, 8388264}},
		{nas.A, 10, [tests]int64{113, 17532, 123937, 8288923, 8388255}},
		{nas.B, 3, [tests]int64{33422934, 10247, 59152, 33135278, 102}},
		{nas.C, 10, [tests]int64{61157, 882998, 266300, 133997585, 133525885}},
		{nas.D, 2, [tests]int64{3, 36538731, 1978098517, 2145192616, 2147425335}},
		{nas.E, 4, [tests]int64{5, 27580356, 3248475154, 30048754300, 31485259695}},
		{nas.E, 10, [tests]int64{11, 27580362, 3248475159, 30048754294, 31485259689}},
	} {
		p := classes()[tc.class]
		for i, want := range tc.want {
			if got := p.expected(i, tc.it); got != want {
				t.Errorf("class %s iteration %d key %d: expected rank %d, want %d", tc.class, tc.it, i, got, want)
			}
		}
	}
}

func BenchmarkIterate(b *testing.B) {
	for _, class := range []nas.Class{nas.S, nas.W, nas.A} {
		b.Run(class.String(), func(b *testing.B) {
			mpitest.Run(b, 1, func(world *mpi.Comm) error {
				s := newSorter(world, classes()[class], false)
				for i := 0; b.Loop(); i++ {
					if err := s.iterate(i%iterations + 1); err != nil {
						return err
					}
				}
				b.ReportMetric(float64(b.N)*float64(len(s.keys))/b.Elapsed().Seconds()/1e6, "Mop/s")
				return nil
			})
		})
	}
}

// With few processes in class D, each would have too many keys.
func TestFewestProcesses(t *testing.T) {
	var count *nas.CountError
	if err := Allowed(2, nas.D); !errors.As(err, &count) || count.Allowed[0] != 4 {
		t.Errorf("class D on 2 ranks: %v", err)
	}
	if err := Allowed(32, nas.E); !errors.As(err, &count) || count.Allowed[0] != 64 {
		t.Errorf("class E on 32 ranks: %v", err)
	}
}

// The variant also sorts correctly: with Alltoall and Alltoallv, on the same numbers of processes.
func TestAlltoallv(t *testing.T) {
	for class, counts := range map[nas.Class][]int{nas.S: {1, 2, 4, 8, 16}, nas.W: {2, 4}} {
		if testing.Short() && class != nas.S {
			continue
		}
		for _, n := range counts {
			r := nastest.Run(t, Kernel(), n, nas.Config{Class: class, Variant: "alltoallv", Timers: true})
			if r.Verdict != nas.Successful || r.Variant != "alltoallv" || len(r.Phases) != 5 {
				t.Errorf("class %s on %d ranks: %v %+v", class, n, r.Verdict, r)
			}
		}
	}
}

func TestUnknownVariant(t *testing.T) {
	mpitest.Run(t, 2, func(world *mpi.Comm) error {
		_, err := Run(world, nas.Config{Class: nas.S, Variant: "ring"})
		if err == nil || err.Error() != `is has no variant "ring"; it has alltoallv` {
			t.Errorf("%v", err)
		}
		return nil
	})
}

// The expected ranks of class E, whose third test key does not rise in every iteration. Also, keys with the
// largest values and positions are generated in the same way as others: as the sum of four uniform numbers,
// from which the rank follows up to random deviations.
func TestTestKeysLieWhereTheyRank(t *testing.T) {
	for _, class := range nas.Classes() {
		p := classes()[class]
		for i, at := range p.position {
			key := make([]int32, 1)
			generate(key, at, p.rangeLog)
			if key[0] < 0 || int(key[0]) >= p.values() {
				t.Errorf("class %s: key %d is %d, outside of 0 to %d", class, i, key[0], p.values()-1)
			}
			share := belowSumOfFour(4 * float64(key[0]) / float64(p.values()))
			n := float64(p.keys())
			want, luck := n*share, math.Sqrt(n*share*(1-share))
			if got := float64(p.expected(i, 1)); math.Abs(got-want) > 6*luck+20 {
				t.Errorf("class %s: key %d ranks at %.0f, of keys below %d there should be %.0f, give or take %.0f", class, i, got, key[0], want, luck)
			}
		}
	}
}

// belowSumOfFour returns the fraction of sums of four uniform numbers that are below x.
func belowSumOfFour(x float64) float64 {
	sum, binomial, sign := 0.0, []float64{1, 4, 6, 4, 1}, 1.0
	for k := 0; float64(k) <= x && k <= 4; k++ {
		sum += sign * binomial[k] * math.Pow(x-float64(k), 4)
		sign = -sign
	}
	return sum / 24
}

func TestAlltoallvDoesNotAllocate(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 2, 4}, func(world *mpi.Comm) (func() error, error) {
		s, it := newSorter(world, classes()[nas.S], true), 0
		s.vector = newVector(s.size)
		return func() error {
			it++
			return s.iterate((it-1)%iterations + 1)
		}, nil
	})
}

func TestNoAllocation(t *testing.T) {
	nastest.NoAllocation(t, []int{1, 2, 4}, func(world *mpi.Comm) (func() error, error) {
		s, it := newSorter(world, classes()[nas.S], true), 0
		return func() error {
			it++
			return s.iterate((it-1)%iterations + 1)
		}, nil
	})
}
