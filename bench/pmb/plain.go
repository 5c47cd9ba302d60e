package pmb

import (
	"fmt"
	"time"

	"rhinet/bench"
	"rhinet/mpi"
)

// Plain measures b on all ranks of world with the policy of comparisons, and calls report on rank 0 with a
// row for each size; nil sizes mean the default ones. The arguments must have passed [CheckPlain].
func Plain(world *mpi.Comm, b Benchmark, sizes []int, budget time.Duration, report func(bench.Row)) error {
	o := Options{Sizes: sizes, Time: budget, NPMin: world.Size()}
	return Run(world, []Benchmark{b}, o.Steady(), plain(report))
}

// Steady returns the options with the policy of comparisons, [bench.Steady], for their time.
func (o Options) Steady() Options {
	p := bench.Steady(o.Time)
	o.Batches, o.Repetitions, o.Volume = p.Batches, p.Repetitions, unbounded
	return o
}

// CheckPlain returns what is wrong with measuring b by Plain on the given number of ranks.
func CheckPlain(b Benchmark, ranks int, sizes []int) error {
	if err := Check([]Benchmark{b}, ranks, Options{}); err != nil {
		return err
	}
	if err := bench.CheckSizes([]bench.Test{b.Test}, sizes); err != nil {
		return err
	}
	for _, n := range sizes {
		if !b.holds(n, ranks) {
			return fmt.Errorf("%w: size %d: %s", bench.ErrInput, n, tooLarge)
		}
	}
	return nil
}

// unbounded is larger than any volume.
const unbounded = 1 << 50

// A plain is a Report that passes on the figures that exist at every level.
type plain func(bench.Row)

func (plain) Begin(Benchmark, [][]int, int) {}
func (plain) Skip(int, string)              {}
func (plain) End()                          {}

func (p plain) Row(r Row) {
	row := bench.Row{Test: r.Test, Ranks: r.Ranks, Bytes: r.Bytes, Repetitions: r.Repetitions, Microsecs: r.Usec(), MBPerSec: r.MBPerSec, Least: r.least, Most: r.most}
	if row.Microsecs > 0 {
		row.Spread = (r.most - r.least) / row.Microsecs
	}
	p(row)
}
