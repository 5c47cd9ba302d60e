package pmb

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Benchmark is a test of the suite. What is timed is either loop, which runs reps repetitions in a row,
// or call, timed one by one; each benchmark has exactly one of them.
type Benchmark struct {
	bench.Test
	Kind Kind

	floats bool // buffers are float32 values
	shift  bool // has a root
	pairs  bool // needs an even number of ranks
	kept   bool // uses persistent requests
	grid   bool // uses neighbors in a grid

	loop func(e *env, reps int) error
	call func(e *env, i int) error
	// start starts call, for nonblocking operations.
	start func(e *env, i int) mpi.Request

	sends, recvs func(ranks int) int // number of messages that the buffers hold
	expect       func(e *env) []piece
	expectSum    func(e *env) (from, count int)
}

// Kind says how a benchmark's figures are printed.
type Kind int

// The kinds. Single transfers run on two ranks and have one time; parallel
// ones and collectives have the least, greatest and mean over the ranks.
const (
	Single Kind = iota
	Parallel
	Collective
	Window  // messages in flight, a rate
	Sync    // no message
	Overlap // a collective operation overlapped with computation
)

// A piece is one message in a receive buffer: it comes from the send buffer of a rank, from offset from on.
type piece struct{ rank, from int }

// test fills in what is common to all tests of the suite.
func test(name, about string, kind Kind, moves float64, b Benchmark) Benchmark {
	b.Kind, b.Test = kind, bench.Test{Name: name, About: about, Max: memory, Unit: 1, Scale: 1, Moves: moves, Peers: true}
	if b.floats {
		b.Unit = valueBytes
	}
	if kind == Sync {
		b.Max = 0
	}
	for _, n := range append([]int{0}, bench.Powers(1, 4<<20)...) {
		if b.Fits(n) {
			b.Sizes = append(b.Sizes, n)
		}
	}
	return b
}

// valueBytes is the size of a float32, the type used by reductions.
const valueBytes = 4

func one(int) int        { return 1 }
func two(int) int        { return 2 }
func each(ranks int) int { return ranks }
func none(int) int       { return 0 }

// All returns all benchmarks.
func All() []Benchmark {
	return slices.Concat(Blocking(), Nonblocking(), Persistent(), Neighborhood())
}

// Blocking returns the benchmarks that run if none are named, in the order in which they run.
func Blocking() []Benchmark {
	all := slices.Concat(transfers(), windows(), reductions(), collectives(), vectors())
	return append(all, barrier())
}

// Parts returns the names that stand for several benchmarks.
func Parts() map[string][]Benchmark {
	overlap, alone := started(Blocking(), starters())
	neighbors := neighbors()
	beside, by := started(neighbors, neighborStarters())
	return map[string][]Benchmark{"MPI1": Blocking(), "NBC": overlap, "NBC_pure": alone, "Persistent": Persistent(),
		"Neighbor": neighbors, "Ineighbor": beside, "Ineighbor_pure": by}
}

// Named returns the benchmarks with the given names, without duplicates: names of benchmarks or of Parts,
// ignoring case. Without names it returns Blocking.
func Named(names []string) (list []Benchmark, err error) {
	if len(names) == 0 {
		return Blocking(), nil
	}
	for _, name := range names {
		more := part(name)
		if more == nil {
			b, err := Find(name)
			if err != nil {
				return nil, err
			}
			more = []Benchmark{b}
		}
		for _, b := range more {
			if !slices.ContainsFunc(list, func(have Benchmark) bool { return have.Name == b.Name }) {
				list = append(list, b)
			}
		}
	}
	return list, nil
}

func part(name string) []Benchmark {
	for is, list := range Parts() {
		if strings.EqualFold(is, name) {
			return list
		}
	}
	return nil
}

// Find returns the benchmark called name, ignoring case, or an error that lists the names.
func Find(name string) (Benchmark, error) {
	var names []string
	for _, b := range All() {
		if strings.EqualFold(b.Name, name) {
			return b, nil
		}
		if !strings.HasSuffix(b.Name, "_pure") {
			names = append(names, b.Name)
		}
	}
	parts := slices.Sorted(maps.Keys(Parts()))
	return Benchmark{}, fmt.Errorf("unknown test %q; the tests are %s, those with I also with _pure behind; %s each stand for several",
		name, strings.Join(names, ", "), strings.Join(parts, ", "))
}

// Min returns the minimum number of ranks of the benchmark.
func (b Benchmark) Min() int {
	if b.Kind == Collective || b.Kind == Sync || b.Kind == Overlap {
		return 1
	}
	return 2
}

// Sizeless reports whether a benchmark has no message.
func (b Benchmark) Sizeless() bool { return b.Max == 0 }

// On reports whether a benchmark can run on a number of ranks.
func (b Benchmark) On(ranks int) bool {
	switch {
	case b.Kind == Single:
		return ranks == 2
	case b.pairs:
		return ranks >= 2 && ranks%2 == 0
	}
	return ranks >= b.Min()
}

// An env is the state of one benchmark on one rank for one size.
type env struct {
	c              *mpi.Comm
	rank, size     int
	n              int // bytes of a message
	root           int
	window         int
	send, recv     []byte // room for sends and recvs messages, slots times
	sendF, recvF   []float32
	slots          int // buffers that repetitions use in turn, for off-cache runs
	strideS        int
	strideR        int
	lenS, lenR     int
	counts, displs []int // n and n*i for each rank, or neighbor
	shares, places []int // of n/4 values among the ranks
	requests       []*mpi.Request
	repeats        []*mpi.Request // persistent, by root and buffer
	ack            [4]byte
	seen           int             // what refresh has read, so that it reads
	cpu            *bench.Computer // for benchmarks of overlap
	times          times           // the latest result of these
	now            func() float64  // the time in seconds
}

// out and in return the buffers of repetition i.
func (e *env) out(i int) []byte {
	k := i % e.slots * e.strideS
	return e.send[k : k+e.lenS]
}

func (e *env) in(i int) []byte {
	k := i % e.slots * e.strideR
	return e.recv[k : k+e.lenR]
}

func (e *env) outF(i int) []float32 {
	k := i % e.slots * e.strideS
	return e.sendF[k : k+e.lenS]
}

func (e *env) inF(i int) []float32 {
	k := i % e.slots * e.strideR
	return e.recvF[k : k+e.lenR]
}
