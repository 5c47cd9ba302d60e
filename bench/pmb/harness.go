package pmb

import (
	"cmp"
	"slices"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Row is one measured cell.
type Row struct {
	Test        string  `json:"test"`
	Ranks       int     `json:"ranks"`  // of a group
	Groups      int     `json:"groups"` // that ran at the same time
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Min         float64 `json:"t_min_usec"` // over the ranks, microseconds a repetition
	Max         float64 `json:"t_max_usec"`
	Avg         float64 `json:"t_avg_usec"`
	MBPerSec    float64 `json:"MB_s"` // 10^6 bytes; of the slowest group
	MsgPerSec   float64 `json:"msg_s,omitempty"`
	Overlapped  float64 `json:"t_ovrl_usec,omitempty"` // on the rank where it is longest, like the next three
	Pure        float64 `json:"t_pure_usec,omitempty"`
	CPU         float64 `json:"t_CPU_usec,omitempty"`
	Hidden      float64 `json:"overlap_percent,omitempty"`
	Defects     int     `json:"defects"` // bytes or values that were wrong, if checked

	kind        Kind
	least, most float64 // Usec of the fastest and of the slowest batch
}

// A Report is called on rank 0 with the progress and the results.
type Report interface {
	Begin(b Benchmark, groups [][]int, world int) // the ranks of each group
	Row(Row)
	Skip(bytes int, why string) // a size that is not measured
	End()
}

// Run measures the benchmarks on all ranks of world. All must pass equal
// arguments; rep is used on rank 0 only.
func Run(world *mpi.Comm, benchmarks []Benchmark, o Options, rep Report) error {
	o = o.filled()
	for _, b := range benchmarks {
		for _, n := range b.counts(world.Size(), o) {
			if err := b.run(world, n, o, rep); err != nil {
				return err
			}
		}
	}
	return nil
}

// run measures b on groups of n ranks; ranks outside of the groups wait.
func (b Benchmark) run(world *mpi.Comm, n int, o Options, rep Report) error {
	groups := 1
	if o.Multi {
		groups = world.Size() / n
	}
	active := world.Rank() < groups*n
	color, all := world.Rank()/n, 0
	if !active {
		color, all = mpi.Undefined, mpi.Undefined
	}
	group, err := world.Split(color, world.Rank())
	if err != nil {
		return err
	}
	if active && b.grid {
		if group, err = onGrid(group); err != nil {
			return err
		}
	}
	everyone, err := world.Split(all, world.Rank())
	if err != nil {
		return err
	}
	first := world.Rank() == 0
	if first {
		rep.Begin(b, ranksOf(groups, n), world.Size())
	}
	if active {
		if err := b.sizes(group, everyone, groups, o, rep, first); err != nil {
			return err
		}
		if err := everyone.Free(); err != nil {
			return err
		}
		if err := group.Free(); err != nil {
			return err
		}
	}
	if first {
		rep.End()
	}
	return mpi.Barrier(world)
}

func ranksOf(groups, n int) [][]int {
	list := make([][]int, groups)
	for r := range groups * n {
		list[r/n] = append(list[r/n], r)
	}
	return list
}

func (b Benchmark) sizes(group, everyone *mpi.Comm, groups int, o Options, rep Report, first bool) error {
	sizes := o.Sizes
	if sizes == nil || b.Sizeless() {
		sizes = b.Sizes
	}
	for _, n := range sizes {
		if !b.holds(n, group.Size()) {
			if first {
				rep.Skip(n, tooLarge)
			}
			continue
		}
		row, err := b.measure(group, everyone, n, o)
		if err != nil {
			return err
		}
		if first {
			row.Groups = groups
			rep.Row(row)
		}
	}
	return nil
}

func (b Benchmark) measure(group, everyone *mpi.Comm, n int, o Options) (Row, error) {
	e := b.newEnv(group, n, o)
	var found []times // in all runs
	clock := b.clock(e, everyone, o)
	reps, batches, err := o.policy().Run(n, func(reps int) (mine, slowest float64, err error) {
		mine, slowest, err = clock(reps)
		found = append(found, e.times)
		return mine, slowest, err
	})
	if err != nil {
		return Row{}, err
	}
	found = found[len(found)-len(batches):]
	var rows []Row
	for i, mine := range batches {
		row := Row{Test: b.Name, Ranks: group.Size(), Bytes: n, Repetitions: reps, kind: b.Kind}
		if err := b.times(&row, everyone, mine, n, o); err != nil {
			return Row{}, err
		}
		if err := b.overlaps(&row, everyone, found[i]); err != nil {
			return Row{}, err
		}
		rows = append(rows, row)
	}
	row := median(rows)
	if o.Check {
		if row.Defects, err = b.defects(e, everyone); err != nil {
			return Row{}, err
		}
	}
	return row, e.free()
}

// median returns the row of the median batch.
func median(rows []Row) Row {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Usec(), b.Usec()) })
	row := rows[len(rows)/2]
	row.least, row.most = rows[0].Usec(), rows[len(rows)-1].Usec()
	return row
}

// clock times repetitions for a policy. The time is limited by the total time of a repetition: a call that
// costs its caller nothing may keep other ranks busy for long.
func (b Benchmark) clock(e *env, everyone *mpi.Comm, o Options) bench.Timed {
	return func(reps int) (mine, slowest float64, err error) {
		start := mpi.Wtime()
		if mine, err = b.timed(e, reps, o); err != nil {
			return 0, 0, err
		}
		slowest, err = most(everyone, (mpi.Wtime()-start)/float64(reps))
		return mine, slowest, err
	}
}

// timed returns this rank's seconds of one repetition; for benchmarks of overlap this includes the
// computation.
func (b Benchmark) timed(e *env, reps int, o Options) (float64, error) {
	for range 2 {
		if err := mpi.Barrier(e.c); err != nil {
			return 0, err
		}
	}
	switch {
	case b.Kind == Overlap:
		return b.overlap(e, reps, o)
	case b.loop != nil:
		start := e.now()
		err := b.loop(e, reps)
		return (e.now() - start) / float64(reps), err
	}
	return b.each(e, reps, o, func(i int) error { return b.call(e, i) })
}

// each times calls one by one, with an untimed barrier after each, and returns this rank's seconds of one.
func (b Benchmark) each(e *env, reps int, o Options, call func(i int) error) (float64, error) {
	var sum float64
	for i := range reps {
		if b.shift && o.RootShift {
			e.root = i % e.size
		}
		start := e.now()
		if err := call(i); err != nil {
			return 0, err
		}
		sum += e.now() - start
		if o.Fresh {
			e.refresh(i)
		}
		if !o.NoSync && !b.Sizeless() {
			if err := between(e.c, o); err != nil {
				return 0, err
			}
		}
	}
	e.root = 0
	return sum / float64(reps), nil
}

// between is the barrier between two calls. From a runtime's barrier one rank may return before the others:
// if it is the root of the next call, the others find its data there and need not wait. A barrier of
// messages, from each rank to ever more distant ones, has no such rank, and is the same on all runtimes.
func between(c *mpi.Comm, o Options) error {
	if !o.OwnBarrier {
		return mpi.Barrier(c)
	}
	rank, size := c.Rank(), c.Size()
	for far := 1; far < size; far *= 2 {
		if _, err := mpi.Sendrecv(c, []byte{}, (rank+far)%size, barrierTag, []byte{}, (rank-far+size)%size, barrierTag); err != nil {
			return err
		}
	}
	return nil
}

// barrierTag is the tag of the messages of a barrier.
const barrierTag = 2

// times fills in the figures over all ranks of all groups.
func (b Benchmark) times(row *Row, everyone *mpi.Comm, mine float64, n int, o Options) error {
	mine *= b.Scale
	least, err := most(everyone, -mine)
	if err != nil {
		return err
	}
	worst, err := most(everyone, mine)
	if err != nil {
		return err
	}
	sum := []float64{0}
	if err := mpi.Allreduce(everyone, []float64{mine}, sum, mpi.Sum); err != nil {
		return err
	}
	row.Min, row.Max, row.Avg = -least*1e6, worst*1e6, sum[0]/float64(everyone.Size())*1e6
	worst = max(worst, 1e-9)
	row.MBPerSec = float64(n) * b.Moves / worst / 1e6
	if b.Kind == Window {
		messages := float64(o.Window*row.Ranks/2) * b.Moves
		row.MsgPerSec = messages / worst
		row.MBPerSec = float64(n) * row.MsgPerSec / 1e6
	}
	return nil
}

// overlaps fills in the results of benchmarks of overlap.
func (b Benchmark) overlaps(row *Row, everyone *mpi.Comm, mine times) error {
	if b.Kind != Overlap {
		return nil
	}
	t, err := slowest(everyone, mine)
	row.Overlapped, row.Pure, row.CPU, row.Hidden = t.overlapped*1e6, t.pure*1e6, t.cpu*1e6, t.hidden()*100
	return err
}

// most returns the largest value of all ranks, on all ranks.
func most(c *mpi.Comm, v float64) (float64, error) {
	out := []float64{0}
	err := mpi.Allreduce(c, []float64{v}, out, mpi.Max)
	return out[0], err
}
