package pmb

import (
	"fmt"
	"time"

	"rhinet/bench"
)

// Options of a run. The zero value of a field is the default.
type Options struct {
	Sizes       []int         // message sizes in bytes; nil: the benchmark's own
	Batches     int           // batches of repetitions, of which the median counts; 0: 1
	Repetitions int           // maximum for one size; 0: 1000
	Volume      int           // maximum bytes that a rank moves for one size; 0: 40 MiB
	Time        time.Duration // maximum time for one size; 0: 10 s
	OffCache    int           // bytes of buffers that repetitions use in turn, more than the caches; 0: one buffer; FromCaches: twice the caches
	Check       bool          // check what arrives, and count what is wrong
	Multi       bool          // as many groups of the smallest size as possible at the same time, instead of one group
	NPMin       int           // smallest number of ranks; then double it, and so on; 0: 2
	Window      int           // messages in flight; 0: 64
	NoSync      bool          // no barrier between collective calls
	OwnBarrier  bool          // use a barrier of messages between collective calls instead of the runtime's
	Fresh       bool          // before each collective call, read what the one before has received, and write what this one sends
	RootShift   bool          // another root for each collective call
}

// memory limits the buffers of one benchmark on a rank.
const memory = 1 << 30

const tooLarge = "its buffers would take more than 1 GiB on each rank"

// holds reports whether a rank has memory for the buffers of a size.
func (b Benchmark) holds(n, ranks int) bool { return n*(b.sends(ranks)+b.recvs(ranks)) <= memory }

// usualNPMin is the default for the smallest number of ranks; running on a single rank is not an error.
const usualNPMin = 2

func (o Options) filled() Options {
	fill := func(v *int, usual int) {
		if *v == 0 {
			*v = usual
		}
	}
	o.OffCache = offCache(o.OffCache)
	fill(&o.Batches, 1)
	fill(&o.Repetitions, 1000)
	fill(&o.Volume, 40<<20)
	fill(&o.NPMin, usualNPMin)
	fill(&o.Window, 64)
	if o.Time == 0 {
		o.Time = 10 * time.Second
	}
	return o
}

// policy is the policy of repetition.
func (o Options) policy() bench.Policy {
	return bench.Policy{Batches: o.Batches, Repetitions: o.Repetitions, Volume: o.Volume, Time: o.Time}
}

// Check returns what is wrong with running these benchmarks on the given number of ranks, before anything
// is measured.
func Check(benchmarks []Benchmark, ranks int, o Options) error {
	for _, v := range []struct {
		name  string
		value int
	}{{"batches", o.Batches}, {"repetitions", o.Repetitions}, {"volume", o.Volume}, {"npmin", o.NPMin}, {"window", o.Window}, {"off-cache", offCache(o.OffCache)}, {"time", int(o.Time)}} {
		if v.value < 0 {
			return fmt.Errorf("--%s %d is negative", v.name, v.value)
		}
	}
	if o.NPMin > max(ranks, usualNPMin) {
		return fmt.Errorf("--npmin %d is more than there are ranks, which is %d", o.NPMin, ranks)
	}
	for _, b := range benchmarks {
		if ranks < b.Min() {
			return fmt.Errorf("%s needs at least %d ranks, there are %d; start it with mpirun -n %d", b.Name, b.Min(), ranks, b.Min())
		}
		if b.Sizeless() {
			continue // has no sizes
		}
		if err := bench.CheckSizes([]bench.Test{b.Test}, o.Sizes); err != nil {
			return err
		}
	}
	return nil
}

// counts returns the numbers of ranks on which b runs in a world of the given size: from the smallest,
// doubled up to all.
func (b Benchmark) counts(world int, o Options) []int {
	if b.Kind == Single || b.Name == "bw" || b.Name == "bibw" {
		return []int{2}
	}
	if o.Multi {
		n := max(o.NPMin, b.Min())
		if n > world || !b.On(n) {
			n = b.Min()
		}
		return []int{n}
	}
	var counts []int
	for n := min(max(o.NPMin, b.Min()), world); n < world; n *= 2 {
		if b.On(n) {
			counts = append(counts, n)
		}
	}
	if b.On(world) {
		counts = append(counts, world)
	}
	return counts
}
