// Package progress measures what happens during a long message: small messages (Mixed), and computation
// (Overlap).
package progress

import (
	"cmp"
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Benchmark is one test.
type Benchmark struct {
	bench.Test
	ranks []int // numbers of ranks on which it runs
	// run does reps repetitions, and returns the results on all ranks.
	run  func(e *env, reps int) (figures, error)
	rows func(f figures) []figure
}

// Options say how benchmarks are measured.
type Options struct {
	Sizes  []int        // bytes of the long message; nil: those of each benchmark
	Policy bench.Policy // how often
}

// figures are the results of a batch, in seconds of a repetition.
type figures struct {
	all  float64 // everything
	main float64 // the figure by which the median batch is chosen
	of   [4]float64
}

// A figure is a row; suffix follows the name of the benchmark.
type figure struct {
	suffix string
	value  float64
}

// percent is the suffix of figures that are percentages, not microseconds.
const percent = "_percent"

// IsPercent reports whether a row of that name is a percentage.
func IsPercent(test string) bool { return strings.HasSuffix(test, percent) }

// All returns the benchmarks.
func All() []Benchmark { return append(Mixed(), Overlap()...) }

// Choose returns those of some benchmarks that have one of the names, ignoring case and without duplicates;
// all if there are no names.
func Choose(of []Benchmark, names []string) ([]Benchmark, error) {
	return bench.Choose(of, func(b Benchmark) string { return b.Name }, names, "no benchmark %q beside a long message")
}

// Ranks returns the numbers of ranks on which the benchmark runs.
func (b Benchmark) Ranks() []int { return b.ranks }

// most is the longest message, in bytes.
const most = 1 << 28

// test fills in what is common to all benchmarks.
func test(name, about string, size int, ranks ...int) Benchmark {
	return Benchmark{
		Test:  bench.Test{Name: name, About: about, Sizes: []int{size}, Min: 1, Max: most, Unit: 1, Scale: 1, Peers: true},
		ranks: ranks,
	}
}

// Check returns why the benchmarks cannot run on the given number of ranks with these sizes.
func Check(benchmarks []Benchmark, ranks int, sizes []int) error {
	var tests []bench.Test
	for _, b := range benchmarks {
		if !slices.Contains(b.ranks, ranks) {
			return fmt.Errorf("%s runs on %s, not on %d; start it with mpirun -n %d", b.Name, list(b.ranks), ranks, b.ranks[0])
		}
		tests = append(tests, b.Test)
	}
	return bench.CheckSizes(tests, sizes)
}

// list writes the numbers of ranks that a benchmark runs on.
func list(ranks []int) string {
	if len(ranks) == 1 {
		return bench.Number(ranks[0], "rank")
	}
	return fmt.Sprintf("%d or %s", ranks[0], bench.Number(ranks[1], "rank"))
}

// Run measures the benchmarks on all ranks of world, which pass equal arguments;
// report is called on rank 0.
func Run(world *mpi.Comm, benchmarks []Benchmark, o Options, report func(bench.Row)) error {
	for _, b := range benchmarks {
		sizes := o.Sizes
		if sizes == nil {
			sizes = b.Sizes
		}
		for _, n := range sizes {
			rows, err := b.measure(world, n, o.Policy)
			if err != nil {
				return err
			}
			for _, r := range rows {
				if world.Rank() == 0 {
					report(r)
				}
			}
		}
	}
	return nil
}

// measure measures one size: it returns the rows of the median batch.
func (b Benchmark) measure(world *mpi.Comm, n int, p bench.Policy) ([]bench.Row, error) {
	e := newEnv(world, n)
	var found []figures
	reps, batches, err := p.Run(n, func(reps int) (mine, slowest float64, err error) {
		f, err := b.run(e, reps)
		found = append(found, f)
		return f.all, f.all, err
	})
	if err != nil {
		return nil, err
	}
	if err := e.check(); err != nil {
		return nil, err
	}
	found = found[len(found)-len(batches):]
	slices.SortFunc(found, func(a, b figures) int { return cmp.Compare(a.main, b.main) })
	var rows []bench.Row
	for _, f := range b.rows(found[len(found)/2]) {
		rows = append(rows, bench.Row{Test: b.Name + f.suffix, Ranks: world.Size(), Bytes: n, Repetitions: reps, Microsecs: f.value})
	}
	return rows, nil
}

// An env is the state of one benchmark on one rank for one size.
type env struct {
	c     *mpi.Comm
	rank  int
	long  []byte // sent from rank 0 to rank 1
	small []byte
	cpu   *bench.Computer
}

// smallBytes is the size of the small messages.
const smallBytes = 8

// Tags of the messages.
const (
	longTag = iota + 1
	smallTag
)

func newEnv(c *mpi.Comm, n int) *env {
	e := &env{c: c, rank: c.Rank(), long: make([]byte, n), small: make([]byte, smallBytes), cpu: bench.NewComputer(mpi.Wtime)}
	for i := range e.long { // also makes the pages exist
		if e.rank == 0 {
			e.long[i] = pattern(i)
		} else {
			e.long[i] = 0xA5
		}
	}
	return e
}

// pattern is byte i of the long message.
func pattern(i int) byte { return byte(i*7 + i>>8 + 1) }

// check returns an error if the long message has not arrived correctly at rank 1.
func (e *env) check() error {
	if e.rank != 1 {
		return nil
	}
	for i, got := range e.long {
		if got != pattern(i) {
			return fmt.Errorf("byte %d of %d arrived as %#x, not %#x", i, len(e.long), got, pattern(i))
		}
	}
	return nil
}

// agree returns, on all ranks, the figures of the rank with the largest key.
func (e *env) agree(f figures, key float64) (figures, error) {
	mine := append([]float64{key, f.all, f.main}, f.of[:]...)
	all := make([]float64, len(mine)*e.c.Size())
	if err := mpi.Allgather(e.c, mine, all); err != nil {
		return f, err
	}
	best := slices.MaxFunc(slices.Collect(slices.Chunk(all, len(mine))), func(a, b []float64) int { return cmp.Compare(a[0], b[0]) })
	return figures{best[1], best[2], [4]float64(best[3:])}, nil
}

// steps runs functions one after the other until one fails.
func steps(all ...func() error) error {
	for _, step := range all {
		if err := step(); err != nil {
			return err
		}
	}
	return nil
}
