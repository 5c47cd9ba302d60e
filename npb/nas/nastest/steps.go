package nastest

import (
	"errors"
	"testing"

	"rhinet/internal/invariants"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// NoAllocation fails the test if what prepare returns, an iteration that all
// ranks call, allocates memory on any of the process counts.
func NoAllocation(t *testing.T, procs []int, prepare func(world *mpi.Comm) (step func() error, err error)) {
	t.Helper()
	if invariants.Enabled {
		t.Skip("checks and the race detector allocate")
	}
	for _, n := range procs {
		mpitest.Run(t, n, func(world *mpi.Comm) error {
			step, err := prepare(world)
			if err != nil {
				return err
			}
			least, err := leastAllocations(world, step)
			if world.Rank() == 0 && least != 0 {
				t.Errorf("an iteration of %d ranks allocates %v times", n, least)
			}
			return errors.Join(err, mpi.Barrier(world))
		})
	}
}

// leastAllocations returns on rank 0 how often a step allocates, at least.
func leastAllocations(world *mpi.Comm, step func() error) (least float64, err error) {
	all := func() { err = errors.Join(err, step()) }
	const runs = 5
	for range 4 * runs { // fills pools
		all()
	}
	// What is counted is that of all ranks: none is before or behind. A pool of
	// the transport may grow at any step, by the luck of who arrives first; what
	// a step itself allocates shows in every batch.
	least = 1e9
	for batch := 0; batch < 10 && least > 0; batch++ {
		err = errors.Join(err, mpi.Barrier(world))
		if world.Rank() == 0 {
			least = min(least, testing.AllocsPerRun(runs, all))
		} else {
			for range runs + 1 {
				all()
			}
		}
		again := []float64{least}
		err = errors.Join(err, mpi.Bcast(world, again, 0))
		least = again[0]
	}
	return least, err
}

// Benchmark runs body on one rank in the classes S, W and A at every level that
// this machine offers.
func Benchmark(b *testing.B, body func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error) {
	for _, class := range []nas.Class{nas.S, nas.W, nas.A} {
		for _, level := range nas.Levels() {
			b.Run(class.String()+"/"+level.String(), func(b *testing.B) {
				mpitest.Run(b, 1, func(world *mpi.Comm) error { return body(b, world, class, level) })
			})
		}
	}
}
