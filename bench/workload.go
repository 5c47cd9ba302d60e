// Package bench is the measuring instrument: workloads that are nothing but
// the loop that is timed, one harness that times them all alike, and printers
// for people and for programs.
//
// A workload runs on the ranks of one world and is measured per message size:
// the harness finds how many repetitions fit the time budget, warms up once,
// times five batches, takes the slowest rank's time of each, and reports the
// median batch. Package bench/compare runs the same measurement on other
// runtimes.
package bench

import (
	"fmt"
	"slices"
	"strings"

	"rhinet/mpi"
)

// A Workload is one kind of measurement.
type Workload struct {
	Name  string
	About string  // one line for lists
	Sizes []int   // message sizes in bytes when none are named
	Min   int     // fewest ranks
	Unit  int     // sizes are multiples of this many bytes
	Scale float64 // a repetition's time times Scale is what is reported (0.5: one way of a round trip)
	Moves float64 // message sizes that one rank sends and receives in the reported time, for MB/s
	Body  func(world *mpi.Comm, b *Buffers, reps int) error
}

// Buffers are the memory of one measurement: Bytes long each, and the same
// memory as float64 values for reductions.
type Buffers struct {
	Send, Recv         []byte
	SendVals, RecvVals []float64
}

// powers is the usual schedule of sizes: 0, 1, 2, 4 ... up to 4 MiB.
func powers() []int {
	sizes := []int{0}
	for n := 1; n <= 4<<20; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// Workloads returns all workloads by name.
func Workloads() []Workload {
	return []Workload{allreduce(), barrier(), exchange(), pingPong()}
}

// Find returns the workload called name, or an error that lists the names.
func Find(name string) (Workload, error) {
	all := Workloads()
	slices.SortFunc(all, func(a, b Workload) int { return strings.Compare(a.Name, b.Name) })
	w, known, ok := Pick(all, func(w Workload) string { return w.Name }, name)
	if !ok {
		return w, fmt.Errorf("unknown test %q; the tests are %s", name, known)
	}
	return w, nil
}
