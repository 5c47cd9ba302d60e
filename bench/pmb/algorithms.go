package pmb

import (
	"errors"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Contest holds the times of the algorithms of one collective operation. From these the limits in the
// table that chooses among the algorithms are found.
type Contest struct {
	Test       string
	Operation  string // as package mpi calls it
	Ranks      int
	Algorithms []string // in the order of the table
	Rows       []ContestRow
}

// A ContestRow holds the results of one size.
type ContestRow struct {
	Bytes  int       // as the test counts them
	Block  int       // as the table counts them
	Chosen string    // the algorithm that is used for such calls at present
	Usec   []float64 // t_avg of each algorithm, median of the rounds; negative where it cannot be used
}

// rounds of a contest: in each, the algorithms are timed in turn, in an order that rotates.
const rounds = 5

// Contestants returns the benchmarks that [Contests] can time: the collective ones of the suite, and the
// operations that are not in the suite.
func Contestants() []Benchmark {
	all := slices.DeleteFunc(All(), func(b Benchmark) bool { return b.operation() == "" })
	return append(all, others()...)
}

// others returns benchmarks that are not in the suite. They cannot be checked, only timed.
func others() []Benchmark {
	return []Benchmark{
		test("Reduce_scatter_block", "", Collective, 0, Benchmark{floats: true, sends: each, recvs: one,
			call: func(e *env, i int) error { return mpi.ReduceScatterBlock(e.c, e.outF(i), e.inF(i), mpi.Sum) }}),
		test("Scan", "", Collective, 0, Benchmark{floats: true, sends: one, recvs: one,
			call: func(e *env, i int) error { return mpi.Scan(e.c, e.outF(i), e.inF(i), mpi.Sum) }}),
		test("Exscan", "", Collective, 0, Benchmark{floats: true, sends: one, recvs: one,
			call: func(e *env, i int) error { return mpi.Exscan(e.c, e.outF(i), e.inF(i), mpi.Sum) }}),
	}
}

// operation returns the name of a benchmark's operation in package mpi, or "" if it is not a collective
// one.
func (b Benchmark) operation() string {
	if b.Kind != Collective && b.Kind != Sync || b.start != nil || b.kept || b.grid {
		return ""
	}
	return strings.ToLower(b.Name)
}

// block returns the bytes of one call as the table of choices counts them.
func (b Benchmark) block(e *env) int {
	switch b.Name {
	case "Reduce_scatter":
		return e.shares[0] * 4
	case "Gatherv", "Scatterv", "Alltoallv": // not known on all ranks
		return 0
	}
	return e.n
}

// NamedContestants returns the [Contestants] with these names; without names, all of them.
func NamedContestants(names []string) ([]Benchmark, error) {
	return bench.Choose(Contestants(), func(b Benchmark) string { return b.Name }, names, "no collective operation %q to time the algorithms of")
}

// CheckContests does what [Check] does, for [Contests].
func CheckContests(benchmarks []Benchmark, ranks int, o Options) error {
	if err := Check(benchmarks, ranks, o); err != nil {
		return err
	}
	switch {
	case o.Check || o.Multi:
		return errors.New("--algorithms neither checks what arrives nor runs groups; leave --check and --multi out")
	case ranks < 2:
		return errors.New("one rank has no choice of algorithms; start it with mpirun -n 2")
	}
	return nil
}

// Contests times, on all ranks of world, every algorithm that can be used for each benchmark's operation.
// All ranks must pass equal arguments; tell is called on rank 0. If o has no sizes, they are 4, 16, 64 ...
// 4 MiB.
func Contests(world *mpi.Comm, benchmarks []Benchmark, o Options, tell func(Contest) error) error {
	o = o.filled()
	for _, b := range benchmarks {
		c, err := b.contest(world, o)
		if err != nil {
			return err
		}
		if world.Rank() == 0 {
			if err := tell(c); err != nil {
				return err
			}
		}
	}
	return nil
}

func (b Benchmark) contest(world *mpi.Comm, o Options) (Contest, error) {
	names, err := mpi.Algorithms(b.operation())
	if err != nil {
		return Contest{}, err
	}
	comms := make([]*mpi.Comm, len(names))
	for i, name := range names {
		if comms[i], err = world.DupWithInfo(map[string]string{mpi.HintAlgorithms: b.operation() + "=" + name}); err != nil {
			return Contest{}, err
		}
	}
	c := Contest{Test: b.Name, Operation: b.operation(), Ranks: world.Size(), Algorithms: names}
	for _, n := range b.contestSizes(o) {
		if !b.holds(n, c.Ranks) {
			continue
		}
		row, err := b.contestRow(world, comms, names, n, o)
		if err != nil {
			return Contest{}, err
		}
		c.Rows = append(c.Rows, row)
	}
	for _, comm := range comms {
		if err := comm.Free(); err != nil {
			return Contest{}, err
		}
	}
	return c, nil
}

// contestSizes returns the sizes of a contest.
func (b Benchmark) contestSizes(o Options) (sizes []int) {
	if b.Sizeless() {
		return b.Sizes
	}
	if o.Sizes != nil {
		return o.Sizes
	}
	for n := 4; n <= 4<<20; n *= 4 {
		sizes = append(sizes, n)
	}
	return sizes
}

// contestRow times the algorithms on one size, repeating as the suite does.
func (b Benchmark) contestRow(world *mpi.Comm, comms []*mpi.Comm, names []string, n int, o Options) (ContestRow, error) {
	e := b.newEnv(world, n, o)
	row := ContestRow{Bytes: n, Block: b.block(e), Usec: make([]float64, len(names))}
	var err error
	if row.Chosen, err = world.Algorithm(b.operation(), row.Block); err != nil {
		return row, err
	}
	var entrants []int
	reps := make([]int, len(names))
	policy := o.policy()
	policy.Batches = rounds
	for i := range names {
		row.Usec[i] = -1
		if got, err := comms[i].Algorithm(b.operation(), row.Block); err != nil {
			return row, err
		} else if got != names[i] {
			continue
		}
		entrants = append(entrants, i)
		e.c = comms[i]
		if reps[i], _, err = policy.Count(n, b.clock(e, comms[i], o)); err != nil {
			return row, err
		}
	}
	mine := make([]float64, rounds*len(names))
	for r := range rounds {
		for j := range entrants {
			i := entrants[(j+r)%len(entrants)]
			e.c = comms[i]
			if mine[i*rounds+r], err = b.timed(e, reps[i], o); err != nil {
				return row, err
			}
		}
	}
	sum := make([]float64, len(mine))
	if err := mpi.Allreduce(world, mine, sum, mpi.Sum); err != nil {
		return row, err
	}
	for _, i := range entrants {
		of := sum[i*rounds : (i+1)*rounds]
		slices.Sort(of)
		row.Usec[i] = of[rounds/2] / float64(world.Size()) * 1e6
	}
	return row, nil
}
