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
	Groups      int     `json:"groups"` // that ran at once
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Min         float64 `json:"t_min_usec"` // over the ranks, microseconds a repetition
	Max         float64 `json:"t_max_usec"`
	Avg         float64 `json:"t_avg_usec"`
	MBPerSec    float64 `json:"MB_s"` // 10^6 bytes; of the slowest group
	MsgPerSec   float64 `json:"msg_s,omitempty"`
	Defects     int     `json:"defects"` // bytes or values that arrived wrong, when they were looked at

	kind        Kind
	least, most float64 // Usec of the fastest and of the slowest batch
}

// Report is told on rank 0 what happens.
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

// run measures b on groups of n ranks; ranks of no group wait.
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
	if sizes == nil || b.Kind == Sync {
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
	reps, batches, err := o.policy().Run(n, b.clock(e, everyone, o))
	if err != nil {
		return Row{}, err
	}
	var rows []Row
	for _, mine := range batches {
		row := Row{Test: b.Name, Ranks: group.Size(), Bytes: n, Repetitions: reps, kind: b.Kind}
		if err := b.times(&row, everyone, mine, n, o); err != nil {
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
	return row, nil
}

// median returns the row of the median batch.
func median(rows []Row) Row {
	slices.SortFunc(rows, func(a, b Row) int { return cmp.Compare(a.Usec(), b.Usec()) })
	row := rows[len(rows)/2]
	row.least, row.most = rows[0].Usec(), rows[len(rows)-1].Usec()
	return row
}

// clock times repetitions for a policy. What bounds the time is all that a
// repetition takes: a call that costs its caller nothing may keep others busy for
// long.
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

// timed returns this rank's seconds of one repetition.
func (b Benchmark) timed(e *env, reps int, o Options) (float64, error) {
	for range 2 {
		if err := mpi.Barrier(e.c); err != nil {
			return 0, err
		}
	}
	if b.loop != nil {
		start := mpi.Wtime()
		err := b.loop(e, reps)
		return (mpi.Wtime() - start) / float64(reps), err
	}
	var sum float64
	for i := range reps {
		if b.shift && o.RootShift {
			e.root = i % e.size
		}
		start := mpi.Wtime()
		if err := b.call(e, i); err != nil {
			return 0, err
		}
		sum += mpi.Wtime() - start
		if !o.NoSync {
			if err := mpi.Barrier(e.c); err != nil {
				return 0, err
			}
		}
	}
	e.root = 0
	return sum / float64(reps), nil
}

// times fills in the figures of all ranks of all groups.
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

// most returns the greatest of all ranks' values, on all ranks.
func most(c *mpi.Comm, v float64) (float64, error) {
	out := []float64{0}
	err := mpi.Allreduce(c, []float64{v}, out, mpi.Max)
	return out[0], err
}
