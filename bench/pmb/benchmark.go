package pmb

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/mpi"
)

// A Benchmark is a test of the suite. What is timed is loop, for reps repetitions
// in a row, or call, one call at a time; each has exactly one of them.
type Benchmark struct {
	bench.Test
	Kind Kind

	floats bool // buffers are float32 values
	shift  bool // has a root
	pairs  bool // needs an even number of ranks

	loop func(e *env, reps int) error
	call func(e *env, i int) error

	sends, recvs func(ranks int) int // messages that the buffers hold
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
	Window // messages in flight, a rate
	Sync   // no message
)

// A piece is one message in a receive buffer: that of a rank, from a place in
// its send buffer on.
type piece struct{ rank, from int }

// test fills in what all tests of the suite have in common.
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

// valueBytes is the size of a float32, which reductions are of.
const valueBytes = 4

func one(int) int        { return 1 }
func two(int) int        { return 2 }
func each(ranks int) int { return ranks }
func none(int) int       { return 0 }

// All returns the benchmarks in the order in which they run.
func All() []Benchmark {
	all := slices.Concat(transfers(), windows(), reductions(), collectives(), vectors())
	return append(all, barrier())
}

// Default returns the names that run when none are given.
func Default() []string {
	var names []string
	for _, b := range All() {
		names = append(names, b.Name)
	}
	return names
}

// Find returns the benchmark called name, whatever the case of its letters, or
// an error that lists the names.
func Find(name string) (Benchmark, error) {
	for _, b := range All() {
		if strings.EqualFold(b.Name, name) {
			return b, nil
		}
	}
	return Benchmark{}, fmt.Errorf("unknown test %q; the tests are %s", name, strings.Join(Default(), ", "))
}

// Min returns the fewest ranks that the benchmark runs on.
func (b Benchmark) Min() int {
	if b.Kind == Collective || b.Kind == Sync {
		return 1
	}
	return 2
}

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

// An env is what one benchmark has on one rank for one size.
type env struct {
	c              *mpi.Comm
	rank, size     int
	n              int // bytes of a message
	root           int
	window         int
	send, recv     []byte // sends and recvs messages, slots times
	sendF, recvF   []float32
	slots          int // buffers that repetitions take in turn, for off-cache runs
	strideS        int
	strideR        int
	lenS, lenR     int
	counts, displs []int // n and n*i for each rank
	shares, places []int // of n/4 values among the ranks
	requests       []*mpi.Request
	ack            [4]byte
}

// out and in are the buffers of repetition i.
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
