// Package rma measures one-sided communication, with the names of the benchmarks of IMB-RMA. A rank that
// accesses others has locked them shared, so that only accesses and flushes are in the timed loop.
package rma

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Benchmark is one kind of access.
type Benchmark struct {
	bench.Test
	ranks  int // ranks that take part; 0: all
	active func(rank, size int) bool
	body   func(e *env) error
}

// Options say how benchmarks are measured.
type Options struct {
	Sizes     []int        // bytes; nil: those of each benchmark
	Policy    bench.Policy // how often
	Aggregate bool         // complete all accesses of a batch together, not one by one
	Create    bool         // use windows on the program's own memory, not allocated ones
}

// A Row is one measured cell.
type Row struct {
	bench.Row
	Min float64 `json:"t_min_usec"` // over the ranks that access, in microseconds per repetition
	Max float64 `json:"t_max_usec"`
}

// An env is the state of repetitions.
type env struct {
	w      *mpi.Win[byte]
	longs  *mpi.Win[int64]
	floats *mpi.Win[float32]
	rank   int
	size   int
	each   bool // complete each access
	out    []byte
	in     []byte
	data   []float32
	old    []float32
}

func root(rank, _ int) bool     { return rank == 0 }
func firstTwo(rank, _ int) bool { return rank < 2 }
func everyone(int, int) bool    { return true }

// All returns the benchmarks in the order in which they run.
func All() []Benchmark {
	sized := func(name, about string, moves float64) bench.Test {
		return bench.Test{Name: name, About: about, Sizes: append([]int{0}, bench.Powers(1, 4<<20)...), Max: 4 << 20, Unit: 1, Scale: 1, Moves: moves, Peers: true}
	}
	floats := func(name, about string) bench.Test {
		return bench.Test{Name: name, About: about, Sizes: append([]int{0}, bench.Powers(4, 4<<20)...), Max: 4 << 20, Unit: 4, Scale: 1, Moves: 1, Peers: true}
	}
	word := func(name, about string) bench.Test {
		return bench.Test{Name: name, About: about, Sizes: []int{8}, Min: 8, Max: 8, Unit: 8, Scale: 1, Peers: true}
	}
	return []Benchmark{
		{sized("Unidir_Put", "rank 0 puts to rank 1", 1), 2, root, func(e *env) error { return e.put(1) }},
		{sized("Unidir_Get", "rank 0 gets from rank 1", 1), 2, root, func(e *env) error { return e.get(1) }},
		{sized("Bidir_Put", "ranks 0 and 1 put to each other", 2), 2, firstTwo, func(e *env) error { return e.put(1 - e.rank) }},
		{sized("Bidir_Get", "ranks 0 and 1 get from each other", 2), 2, firstTwo, func(e *env) error { return e.get(1 - e.rank) }},
		{sized("Put_local", "Unidir_Put that is complete here", 1), 2, root, func(e *env) error { return e.local(e.w.Put(e.out, 1, 0)) }},
		{sized("Get_local", "Unidir_Get that is complete here", 1), 2, root, func(e *env) error { return e.local(e.w.Get(e.in, 1, 0)) }},
		{sized("One_put_all", "rank 0 puts to all others", 1), 0, root, (*env).putAll},
		{sized("One_get_all", "rank 0 gets from all others", 1), 0, root, (*env).getAll},
		{sized("All_put_all", "all ranks put to all others", 2), 0, everyone, (*env).putAll},
		{sized("All_get_all", "all ranks get from all others", 2), 0, everyone, (*env).getAll},
		{sized("Exchange_Put", "all ranks put to both neighbors", 4), 0, everyone, (*env).exchangePut},
		{sized("Exchange_Get", "all ranks get from both neighbors", 4), 0, everyone, (*env).exchangeGet},
		{floats("Accumulate", "rank 0 adds to rank 1"), 2, root, func(e *env) error {
			return e.flush(1, e.floats.Accumulate(e.data, 1, 0, mpi.Sum))
		}},
		{floats("Get_accumulate", "rank 0 adds to rank 1, and gets what was there"), 2, root, func(e *env) error {
			return e.flush(1, e.floats.GetAccumulate(e.data, e.old, 1, 0, mpi.Sum))
		}},
		{word("Fetch_and_op", "rank 0 adds to a word of rank 1"), 2, root, func(e *env) error { return e.fetch(1) }},
		{word("Compare_and_swap", "rank 0 compares and swaps a word of rank 1"), 2, root, func(e *env) error { return e.swap(1) }},
		{word("All_fetch_and_op", "all ranks add to one word of rank 0 at once"), 0, everyone, func(e *env) error { return e.fetch(0) }},
		{word("All_compare_and_swap", "all ranks compare and swap one word of rank 0 at once"), 0, everyone, func(e *env) error { return e.swap(0) }},
	}
}

// Choose returns the benchmarks with the given names, ignoring case and without duplicates; all if there
// are no names.
func Choose(names []string) ([]Benchmark, error) {
	return bench.Choose(All(), func(b Benchmark) string { return b.Name }, names, "no benchmark %q of one-sided communication")
}

// On reports whether a comparison runs the benchmark on this number of ranks: a benchmark between two ranks
// gives the same result on more.
func (b Benchmark) On(ranks int) bool { return b.ranks == 0 || b.ranks == ranks }

// Check returns why the benchmarks cannot run on the given number of ranks.
func Check(benchmarks []Benchmark, ranks int, sizes []int) error {
	if ranks < 2 {
		return fmt.Errorf("one rank has nobody to access; start it with mpirun -n 2")
	}
	var tests []bench.Test
	for _, b := range benchmarks {
		tests = append(tests, b.Test)
	}
	return bench.CheckSizes(tests, sizes)
}

// Run measures the benchmarks on all ranks of world, which pass equal arguments;
// report is called on rank 0.
func Run(world *mpi.Comm, benchmarks []Benchmark, o Options, report func(Row)) error {
	for _, b := range benchmarks {
		for _, n := range b.sizes(o) {
			row, err := b.measure(world, n, o)
			if err != nil {
				return err
			}
			if world.Rank() == 0 {
				report(row)
			}
		}
	}
	return nil
}

// sizes returns those sizes of o at which b can be measured.
func (b Benchmark) sizes(o Options) []int {
	sizes := o.Sizes
	if sizes == nil {
		sizes = b.Sizes
	}
	return slices.DeleteFunc(slices.Clone(sizes), func(n int) bool { return !b.Fits(n) })
}

// measure measures one size.
func (b Benchmark) measure(world *mpi.Comm, n int, o Options) (Row, error) {
	e, err := newEnv(world, n, o)
	if err != nil {
		return Row{}, err
	}
	var batches []float64
	var least, most []float64
	reps, batches, err := o.Policy.Run(n, func(reps int) (float64, float64, error) {
		fast, slow, err := b.timed(world, e, reps)
		least, most = append(least, fast), append(most, slow)
		return slow, slow, err
	})
	if err != nil {
		return Row{}, err
	}
	row := Row{Row: b.Row(n, reps, batches)}
	row.Ranks = b.ranks
	if b.ranks == 0 {
		row.Ranks = world.Size()
		row.MBPerSec *= float64(b.peers(world.Size()))
	}
	least, most = least[len(least)-len(batches):], most[len(most)-len(batches):]
	slices.Sort(least)
	slices.Sort(most)
	row.Min, row.Max = least[len(least)/2]*1e6, most[len(most)/2]*1e6
	return row, e.free()
}

// peers returns how many other ranks a rank accesses, as far as Moves does not count them.
func (b Benchmark) peers(size int) int {
	if strings.Contains(b.Name, "_all") && b.Max > 8 {
		return size - 1
	}
	return 1
}

// timed runs reps repetitions and returns the seconds of one on the fastest and on the slowest rank that
// accesses.
func (b Benchmark) timed(world *mpi.Comm, e *env, reps int) (fast, slow float64, err error) {
	if err := mpi.Barrier(world); err != nil {
		return 0, 0, err
	}
	const never = 1e9
	times := []float64{never, never} // the second is negative, so that both are minima
	if b.active(e.rank, e.size) {
		if err := e.w.LockAll(); err != nil {
			return 0, 0, err
		}
		start := mpi.Wtime()
		for range reps {
			if err := b.body(e); err != nil {
				return 0, 0, err
			}
		}
		if err := e.w.FlushAll(); err != nil {
			return 0, 0, err
		}
		t := (mpi.Wtime() - start) / float64(reps)
		times[0], times[1] = t, -t
		if err := e.w.UnlockAll(); err != nil {
			return 0, 0, err
		}
	}
	err = mpi.Allreduce(world, times, times, mpi.Min)
	return times[0], -times[1], err
}

func newEnv(world *mpi.Comm, n int, o Options) (e *env, err error) {
	e = &env{
		rank: world.Rank(), size: world.Size(), each: !o.Aggregate,
		out: make([]byte, n), in: make([]byte, n), data: make([]float32, n/4), old: make([]float32, n/4),
	}
	for i := range e.out {
		e.out[i] = 1 // otherwise all of it is the shared page of zeros
	}
	for i := range e.data {
		e.data[i] = 1
	}
	room := max(2*n, 8)
	if o.Create {
		e.w, err = mpi.WinCreate(world, make([]byte, room))
	} else {
		e.w, err = mpi.WinAllocate[byte](world, room)
	}
	if err != nil {
		return nil, err
	}
	if e.longs, err = mpi.WinAs[int64](e.w); err != nil {
		return nil, err
	}
	e.floats, err = mpi.WinAs[float32](e.w)
	return e, err
}

func (e *env) free() error { return e.w.Free() }

// flush completes an access to target, if accesses are completed one by one.
func (e *env) flush(target int, err error) error {
	if err != nil || !e.each {
		return err
	}
	return e.w.Flush(target)
}

func (e *env) local(err error) error {
	if err != nil || !e.each {
		return err
	}
	return e.w.FlushLocal(1)
}

func (e *env) put(target int) error { return e.flush(target, e.w.Put(e.out, target, 0)) }
func (e *env) get(target int) error { return e.flush(target, e.w.Get(e.in, target, 0)) }

func (e *env) fetch(target int) error {
	_, err := e.longs.FetchAndOp(1, target, 0, mpi.Sum)
	return e.flush(target, err)
}

func (e *env) swap(target int) error {
	_, err := e.longs.CompareAndSwap(0, 1, target, 0)
	return e.flush(target, err)
}

// toAll calls access for all other ranks, beginning with the next one.
func (e *env) toAll(access func(target int) error) error {
	for i := 1; i < e.size; i++ {
		if err := access((e.rank + i) % e.size); err != nil {
			return err
		}
	}
	return e.flushAll()
}

func (e *env) flushAll() error {
	if !e.each {
		return nil
	}
	return e.w.FlushAll()
}

func (e *env) putAll() error {
	return e.toAll(func(target int) error { return e.w.Put(e.out, target, 0) })
}

func (e *env) getAll() error {
	return e.toAll(func(target int) error { return e.w.Get(e.in, target, 0) })
}

func (e *env) exchangePut() error {
	right, left := (e.rank+1)%e.size, (e.rank+e.size-1)%e.size
	if err := e.w.Put(e.out, right, 0); err != nil {
		return err
	}
	if err := e.w.Put(e.out, left, len(e.out)); err != nil {
		return err
	}
	return e.flushAll()
}

func (e *env) exchangeGet() error {
	right, left := (e.rank+1)%e.size, (e.rank+e.size-1)%e.size
	if err := e.w.Get(e.in, right, 0); err != nil {
		return err
	}
	if err := e.w.Get(e.in, left, len(e.in)); err != nil {
		return err
	}
	return e.flushAll()
}
