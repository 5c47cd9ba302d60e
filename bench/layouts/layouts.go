// Package layouts measures messages, and parts of windows, that are not contiguous, compared with
// contiguous ones and with packing by hand.
package layouts

import (
	"errors"
	"fmt"
	"io"
	"runtime"
	"slices"
	"time"

	"rhinet/mpi"
)

// A Row is one kind of message: some of the blocks of a slice.
type Row struct {
	Kind         string
	Bytes, Block int           // of the message, and of one of its blocks
	Contiguous   time.Duration // one way, median of the rounds
	Layout       time.Duration
	ByHand       time.Duration
	ToContiguous float64 // median of the paired ratios of rates: layout / contiguous
	ToByHand     float64 // layout / by hand
}

// Options say what to measure.
type Options struct {
	Sizes, Blocks []int // in bytes
	Rounds        int   // each measures the three ways in rotated order
	Repetitions   int   // of one size in a round
}

// Default returns a measurement that takes some seconds.
func Default() Options {
	return Options{Sizes: []int{32 << 10, 256 << 10, 4 << 20}, Blocks: []int{8, 64, 1 << 10, 16 << 10}, Rounds: 9, Repetitions: 20}
}

// Check returns what cannot be measured on the given number of ranks.
func (o Options) Check(ranks int) error {
	if o.Rounds < 1 || o.Repetitions < 1 {
		return fmt.Errorf("%d rounds of %d repetitions; both must be above zero", o.Rounds, o.Repetitions)
	}
	for _, bytes := range o.Sizes {
		for _, block := range o.Blocks {
			if block < 8 || block%8 != 0 || bytes < block || bytes%block != 0 {
				return fmt.Errorf("layouts: %d bytes in blocks of %d; blocks are multiples of 8, and messages of blocks", bytes, block)
			}
		}
	}
	if ranks < 2 {
		return fmt.Errorf("layouts: a message needs 2 ranks, there are %d; use mpirun -n 2", ranks)
	}
	return nil
}

// Measure has ranks 0 and 1 of w exchange every kind of message, and returns the results on rank 0. All
// ranks of w must call it with the same options.
func Measure(w *mpi.Comm, o Options) (rows []Row, err error) {
	if err := o.Check(w.Size()); err != nil {
		return nil, err
	}
	for _, bytes := range o.Sizes {
		for _, block := range o.Blocks {
			for _, kind := range kinds(block, bytes/block) {
				row, err := measure(w, o, kind, bytes, block)
				if err != nil {
					return nil, err
				}
				rows = append(rows, row)
			}
		}
	}
	return rows, nil
}

// measure measures one kind of message.
func measure(w *mpi.Comm, o Options, kind string, bytes, block int) (Row, error) {
	row := Row{Kind: kind, Bytes: bytes, Block: block}
	c, err := newCell(w, kind, bytes/block, block/8)
	if err != nil {
		return row, err
	}
	runtime.GC() // of the buffers of other cells now, not in the middle of this one
	took := make([][]float64, len(c.ways))
	for round := -1; round < o.Rounds && w.Rank() < 2; round++ {
		for i := range c.ways {
			i = (i + max(round, 0)) % len(c.ways)
			start := time.Now()
			for range o.Repetitions { // both ranks are in step
				if err := c.ways[i](); err != nil {
					return row, err
				}
			}
			if round >= 0 { // the first round warms up
				took[i] = append(took[i], float64(time.Since(start))/float64(c.messages*o.Repetitions))
			}
		}
	}
	if err := errors.Join(mpi.Barrier(w), c.end()); err != nil || w.Rank() > 1 {
		return row, err
	}
	var toWhole, toHand []float64
	for i := range took[0] {
		toWhole, toHand = append(toWhole, took[0][i]/took[1][i]), append(toHand, took[2][i]/took[1][i])
	}
	row.Contiguous, row.Layout, row.ByHand = time.Duration(median(took[0])), time.Duration(median(took[1])), time.Duration(median(took[2]))
	row.ToContiguous, row.ToByHand = median(toWhole), median(toHand)
	return row, nil
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// Print writes rows as a table.
func Print(out io.Writer, rows []Row) error {
	if _, err := fmt.Fprintln(out, "kind          bytes   block  contiguous      layout     by hand  layout/contiguous  layout/by hand"); err != nil {
		return err
	}
	for _, r := range rows {
		us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
		if _, err := fmt.Fprintf(out, "%-9s %9d %7d %8.1f us %8.1f us %8.1f us %18.2f %15.2f\n",
			r.Kind, r.Bytes, r.Block, us(r.Contiguous), us(r.Layout), us(r.ByHand), r.ToContiguous, r.ToByHand); err != nil {
			return err
		}
	}
	return nil
}
