package pmb

import (
	"runtime"

	"rhinet/mpi"
)

// A Tally is the cost of repetitions of a benchmark, on the rank where it is highest.
type Tally struct {
	Allocs float64 // allocations a repetition
	Usec   float64 // microseconds a repetition
}

// Count runs b on all ranks of world, reps times after as many for warming up, and counts. All ranks must
// pass equal arguments that have passed Check.
func (b Benchmark) Count(world *mpi.Comm, bytes, reps int) (Tally, error) {
	o := Options{}.filled()
	e := b.newEnv(world, bytes, o)
	if _, err := b.timed(e, reps, o); err != nil {
		return Tally{}, err
	}
	var before, after runtime.MemStats
	runtime.ReadMemStats(&before)
	seconds, err := b.timed(e, reps, o)
	if err != nil {
		return Tally{}, err
	}
	runtime.ReadMemStats(&after)
	allocs, err := most(world, float64(after.Mallocs-before.Mallocs)/float64(reps))
	if err != nil {
		return Tally{}, err
	}
	slowest, err := most(world, seconds)
	return Tally{allocs, slowest * 1e6}, err
}

// Timed runs b on all ranks of world, reps times after one to warm up, and returns the microseconds of one
// repetition as rows have them. It measures with this rank's clock now, in seconds, which may differ from
// mpi.Wtime.
func (b Benchmark) Timed(world *mpi.Comm, bytes, reps int, now func() float64) (usec float64, err error) {
	o := Options{}.filled()
	e := b.newEnv(world, bytes, o)
	e.now = now
	if _, err := b.timed(e, 1, o); err != nil {
		return 0, err
	}
	seconds, err := b.timed(e, reps, o)
	return seconds * b.Scale * 1e6, err
}
