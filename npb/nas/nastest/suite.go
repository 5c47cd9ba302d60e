// Package nastest contains what the tests of all kernels share: a Suite of tests that every kernel must
// pass, and the measurement of allocations.
package nastest

import (
	"context"
	"errors"
	"math"
	"runtime"
	"slices"
	"sync"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// A Suite is a kernel, with the values that its tests need.
type Suite struct {
	Kernel nas.Kernel
	Phases int // number of phases in a report with timers, including the communication wait

	// Verified gives, for each class, the process counts on which it is computed and must verify. With
	// -short only class S is computed. For a Heavy kernel, larger classes are computed on the first count
	// only if the machine supports nothing but plain Go.
	Verified map[nas.Class][]int
	Heavy    bool

	// Check makes additional checks of a verified result; nil: none.
	Check func(t *testing.T, r nas.Result)

	Allowed, Refused []int // process counts of class S

	// Published returns the parameters and reference values of a class, in the order of publishedJSON.
	Published func(class nas.Class) []float64
}

// Test runs the suite.
func (s Suite) Test(t *testing.T) {
	t.Run("Verified", s.verified)
	t.Run("Classes", s.classes)
	t.Run("Published", s.published)
	t.Run("Counts", s.counts)
	t.Run("OtherIterations", s.otherIterations)
	t.Run("Memory", s.memory)
	t.Run("BrokenCommunicator", s.broken)
}

// patience is the time limit of a run: runs take seconds, except on an oversubscribed machine.
const patience = 5 * time.Minute

// Run runs a kernel on procs ranks and returns the result of rank 0.
func Run(t testing.TB, k nas.Kernel, procs int, cfg nas.Config) nas.Result {
	t.Helper()
	var root nas.Result
	mpitest.Run(t, procs, func(world *mpi.Comm) error {
		r, err := k.Run(world, cfg)
		if world.Rank() == 0 {
			root = r
		}
		return err
	}, mpitest.Timeout(patience))
	return root
}

func (s Suite) verified(t *testing.T) {
	for _, class := range nas.Classes() {
		if testing.Short() && class != nas.S {
			continue
		}
		counts := s.Verified[class]
		if s.Heavy && class != nas.S && nas.BestLevel() == nas.Plain {
			counts = counts[:min(1, len(counts))]
		}
		for _, procs := range counts {
			r := Run(t, s.Kernel, procs, nas.Config{Class: class, Timers: true})
			if r.Verdict != nas.Successful || r.Class != class {
				t.Errorf("class %s on %d ranks: %v %+v", class, procs, r.Verdict, r.Checks)
			}
			if len(r.Phases) != s.Phases || r.Processes != procs || r.Active != procs || r.Seconds <= 0 || r.Mops <= 0 {
				t.Errorf("class %s on %d ranks: %+v", class, procs, r)
			}
			if s.Check != nil {
				s.Check(t, r)
			}
		}
	}
}

// classes checks for every class that it is described, is not smaller than the one before, and can run on
// some number of processes.
func (s Suite) classes(t *testing.T) {
	var size, memory int64
	for _, class := range nas.Classes() {
		p, err := s.Kernel.Describe(class)
		if err != nil || p.Class != class || p.Size.Count < size {
			t.Errorf("class %s is described as %+v, %v", class, p, err)
		}
		procs := enough(s.Kernel, class)
		if err := s.Kernel.Allowed(procs, class); err != nil {
			t.Errorf("class %s on %d ranks: %v", class, procs, err)
		}
		m := s.Kernel.Memory(procs, class)
		if m < memory || m <= 0 {
			t.Errorf("class %s takes %d bytes, the one before it %d", class, m, memory)
		}
		size, memory = p.Size.Count, m
	}
	var unknown *nas.ClassError
	_, err := s.Kernel.Describe('X')
	if !errors.As(err, &unknown) {
		t.Errorf("Describe class X: %v", err)
	}
	if err := s.Kernel.Allowed(1, 'X'); !errors.As(err, &unknown) {
		t.Errorf("Allowed class X: %v", err)
	}
	mpitest.Run(t, 1, func(world *mpi.Comm) error {
		if _, err := s.Kernel.Run(world, nas.Config{Class: 'X'}); !errors.As(err, &unknown) {
			t.Errorf("Run class X: %v", err)
		}
		return nil
	})
}

// enough returns 4, or the smallest number of processes of a class that needs more.
func enough(k nas.Kernel, class nas.Class) int {
	procs := 4
	for procs < 64 && k.Allowed(procs, class) != nil {
		procs *= 2
	}
	return procs
}

func (s Suite) counts(t *testing.T) {
	for _, procs := range s.Allowed {
		if err := s.Kernel.Allowed(procs, nas.S); err != nil {
			t.Errorf("%d ranks: %v", procs, err)
		}
	}
	for _, procs := range append(slices.Clone(s.Refused), 0, -1) {
		var count *nas.CountError
		if err := s.Kernel.Allowed(procs, nas.S); !errors.As(err, &count) || len(count.Allowed) < 4 {
			t.Errorf("%d ranks: %v", procs, err)
		}
		if procs < 1 || procs > 8 {
			continue
		}
		mpitest.Run(t, procs, func(world *mpi.Comm) error {
			var count *nas.CountError // of this rank
			if _, err := s.Kernel.Run(world, nas.Config{Class: nas.S}); !errors.As(err, &count) {
				t.Errorf("Run on %d ranks: %v", procs, err)
			}
			return nil
		})
	}
}

// otherIterations checks that a run with another number of iterations is not verified.
func (s Suite) otherIterations(t *testing.T) {
	if p, err := s.Kernel.Describe(nas.S); err != nil || p.Iterations == 0 {
		t.Skip("it does not iterate")
	}
	told := 0
	r := Run(t, s.Kernel, 2*2, nas.Config{Class: nas.S, Iterations: 2, Progress: func(k, n int) { told = 10*told + 10*k + n }})
	if r.Verdict != nas.NotVerified || r.Class != nas.Unknown || r.Iterations != 2 || told != 142 || r.Phases != nil {
		t.Errorf("progress %d, %+v", told, r)
	}
}

// memory compares the estimate with what all ranks hold when the first iteration begins. Setting up the
// problem may need more than that temporarily.
func (s Suite) memory(t *testing.T) {
	const slack = 1 << 20
	for _, procs := range []int{1, 4} {
		var before, held int64
		mpitest.Run(t, procs, func(world *mpi.Comm) error {
			if world.Rank() == 0 {
				before = heap()
			}
			if err := mpi.Barrier(world); err != nil {
				return err
			}
			_, err := s.Kernel.Run(world, nas.Config{Class: nas.W, Iterations: 1, Progress: func(k, _ int) {
				if k == 1 {
					held = max(0, heap()-before)
				}
			}})
			return err
		})
		if need := s.Kernel.Memory(procs, nas.W); need < held-held/8-slack || need > 3*held+slack {
			t.Errorf("class W on %d ranks holds %d bytes, the estimate is %d", procs, held, need)
		}
	}
}

// heap returns how much memory is in use. It takes several collections to free what earlier runs left in
// pools and what belongs to goroutines that are about to end.
func heap() int64 {
	least := int64(math.MaxInt64)
	for since := 0; since < 3; since++ {
		var m runtime.MemStats
		runtime.GC()
		runtime.ReadMemStats(&m)
		if now := int64(m.HeapAlloc); now < least-least/64 {
			least, since = now, 0
		}
		runtime.Gosched()
	}
	return least
}

// broken checks that when a communicator fails, the run ends with its error, whether it fails from the
// start or in a later iteration.
func (s Suite) broken(t *testing.T) {
	for from := range 4 {
		ctx, cancel := context.WithCancel(t.Context())
		if from == 0 {
			cancel()
		}
		// When one rank returns, the others fail too; some may not have noticed the failure yet.
		var running sync.WaitGroup
		running.Add(4)
		// World fails when it ends, too, because collective calls were abandoned half-way.
		_ = mpitest.World(4, func(world *mpi.Comm) error {
			_, err := s.Kernel.Run(world.WithContext(ctx), nas.Config{Class: nas.S, Timers: true, Progress: func(k, _ int) {
				if k == from {
					cancel()
				}
			}})
			running.Done()
			running.Wait()
			if !errors.Is(err, context.Canceled) {
				t.Errorf("rank %d, broken from iteration %d on: %v", world.Rank(), from, err)
			}
			return nil
		})
		cancel()
	}
}
