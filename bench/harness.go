package bench

import (
	"fmt"
	"slices"
	"time"

	"rhinet/mpi"
)

// The repetition policy. It is the same in peer/c/peer.c, so that other
// runtimes are measured alike.
const (
	batches = 5      // timed batches a size; the median counts
	probes  = 3      // repetitions that estimate the time of one
	maxReps = 100000 // repetitions a batch at most
)

// Options of a run.
type Options struct {
	Sizes  []int         // message sizes in bytes; nil: the workload's own
	Budget time.Duration // time for the batches of one size
}

// A Row is one measured cell.
type Row struct {
	Test        string  `json:"test"`
	Ranks       int     `json:"ranks"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`
	Microsecs   float64 `json:"usec"`   // time of one repetition, by the workload's scale
	MBPerSec    float64 `json:"MB_s"`   // 10^6 bytes moved by one rank in a second
	Spread      float64 `json:"spread"` // (slowest - fastest batch) / median batch
}

// Check reports what is wrong with running w on the given number of ranks
// with opts, before anything is measured.
func (w Workload) Check(ranks int, opts Options) error {
	if ranks < w.Min {
		return fmt.Errorf("%s needs at least %d ranks, there are %d; start it with mpirun -n %d", w.Name, w.Min, ranks, w.Min)
	}
	for _, n := range opts.Sizes {
		if n < 0 || n > 1<<30 {
			return fmt.Errorf("size %d is not between 0 and 1073741824 bytes", n)
		}
		if n > 0 && len(w.Sizes) == 1 && w.Sizes[0] == 0 {
			return fmt.Errorf("size %d: %s has no message; leave --sizes out", n, w.Name)
		}
		if n%w.Unit != 0 {
			return fmt.Errorf("size %d is not a multiple of the %d bytes of %s", n, w.Unit, w.Name)
		}
	}
	return nil
}

// Run measures w on all ranks of world and calls report on rank 0 after each
// size. All ranks must pass equal options.
func (w Workload) Run(world *mpi.Comm, opts Options, report func(Row)) error {
	sizes := opts.Sizes
	if sizes == nil {
		sizes = w.Sizes
	}
	for _, n := range sizes {
		row, err := w.measure(world, n, opts.Budget)
		if err != nil {
			return err
		}
		if world.Rank() == 0 {
			report(row)
		}
	}
	return nil
}

func (w Workload) measure(world *mpi.Comm, n int, budget time.Duration) (Row, error) {
	b := &Buffers{Send: make([]byte, n), Recv: make([]byte, n), SendVals: make([]float64, n/8), RecvVals: make([]float64, n/8)}
	for i := range b.Send {
		b.Send[i], b.Recv[i] = 1, 1
	}
	for i := range b.SendVals {
		b.SendVals[i], b.RecvVals[i] = 1, 1
	}
	reps := probes
	var once float64
	for range 2 { // the first finds cold caches and connections
		var err error
		if once, err = w.timed(world, b, reps); err != nil {
			return Row{}, err
		}
	}
	reps = min(max(int(budget.Seconds()/batches/once), 1), maxReps)
	var t [batches]float64
	if _, err := w.timed(world, b, reps); err != nil {
		return Row{}, err
	}
	for i := range t {
		var err error
		if t[i], err = w.timed(world, b, reps); err != nil {
			return Row{}, err
		}
	}
	slices.Sort(t[:])
	median := t[batches/2]
	row := Row{Test: w.Name, Ranks: world.Size(), Bytes: n, Repetitions: reps, Microsecs: median * w.Scale * 1e6}
	if median > 0 {
		row.MBPerSec = float64(n) * w.Moves / (median * w.Scale) / 1e6
		row.Spread = (t[batches-1] - t[0]) / median
	}
	return row, nil
}

// timed returns the seconds of one repetition on the slowest rank, equal on
// all ranks, so that all derive the same repetition count from it.
func (w Workload) timed(world *mpi.Comm, b *Buffers, reps int) (float64, error) {
	if err := mpi.Barrier(world); err != nil {
		return 0, err
	}
	start := mpi.Wtime()
	if err := w.Body(world, b, reps); err != nil {
		return 0, err
	}
	mine, worst := []float64{(mpi.Wtime() - start) / float64(reps)}, []float64{0}
	if err := mpi.Allreduce(world, mine, worst, mpi.Max); err != nil {
		return 0, err
	}
	return max(worst[0], 1e-9), nil
}
