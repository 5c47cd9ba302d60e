package nastest

import (
	"errors"
	"testing"

	"rhinet/internal/invariants"
	"rhinet/mpi"
	"rhinet/mpi/mpitest"
	"rhinet/npb/nas"
)

// NoAllocation fails the test if the function that prepare returns allocates memory on any of the process
// counts. The function is one iteration, called on all ranks.
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

// leastAllocations returns on rank 0 the smallest number of allocations of a step in any batch.
func leastAllocations(world *mpi.Comm, step func() error) (least float64, err error) {
	all := func() { err = errors.Join(err, step()) }
	const runs = 5
	for range 4 * runs { // fills pools
		all()
	}
	// The number is that of all ranks, which are in the same step. A pool of the transport may grow in any
	// step, depending on which rank arrives first; what a step itself allocates appears in every batch.
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

// Benchmark runs body on one rank in the classes S, W and A at every level that this machine supports.
func Benchmark(b *testing.B, body func(b *testing.B, world *mpi.Comm, class nas.Class, level nas.Level) error) {
	for _, class := range []nas.Class{nas.S, nas.W, nas.A} {
		for _, level := range nas.Levels() {
			b.Run(class.String()+"/"+level.String(), func(b *testing.B) {
				mpitest.Run(b, 1, func(world *mpi.Comm) error { return body(b, world, class, level) })
			})
		}
	}
}
