// Package layouts measures messages that do not lie in one piece against those
// that do, and against packing them by hand.
package layouts

import (
	"fmt"
	"io"
	"slices"
	"time"

	"rhinet/mpi"
)

// A Row is one kind of message: half of the blocks of a slice.
type Row struct {
	Bytes, Block int           // of the message, and of one of its blocks
	Contiguous   time.Duration // one way, median of the rounds
	Layout       time.Duration
	ByHand       time.Duration
	ToContiguous float64 // median of the paired ratios of rates: layout / contiguous
	ToByHand     float64 // layout / by hand
}

// Options are what is measured.
type Options struct {
	Sizes, Blocks []int // in bytes
	Rounds        int   // each takes the three ways in rotated order
	Repetitions   int   // of one size in a round
}

// Default is a measurement of some seconds.
func Default() Options {
	return Options{Sizes: []int{32 << 10, 256 << 10, 4 << 20}, Blocks: []int{8, 64, 1 << 10, 16 << 10}, Rounds: 9, Repetitions: 20}
}

// Check reports what cannot be measured on so many ranks.
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

// Measure has ranks 0 and 1 of w exchange every kind of message, and returns
// what it took at rank 0. All ranks of w call it with the same options.
func Measure(w *mpi.Comm, o Options) (rows []Row, err error) {
	if err := o.Check(w.Size()); err != nil {
		return nil, err
	}
	if w.Rank() > 1 {
		return nil, mpi.Barrier(w)
	}
	for _, bytes := range o.Sizes {
		for _, block := range o.Blocks {
			row, err := measure(w, o, bytes, block)
			if err != nil {
				return nil, err
			}
			rows = append(rows, row)
		}
	}
	return rows, mpi.Barrier(w)
}

// measure is one kind of message.
func measure(w *mpi.Comm, o Options, bytes, block int) (Row, error) {
	n, k := bytes/8, block/8
	row := Row{Bytes: bytes, Block: block}
	whole, sparse, packed := make([]float64, n), make([]float64, 2*n), make([]float64, n)
	view := mpi.View(sparse, mpi.Vector(n/k, k, 2*k))
	ways := []func() error{
		func() error { return pingPong(w, whole, whole) },
		func() error { return pingPong(w, view, view) },
		func() error { return byHand(w, sparse, packed, k) },
	}
	took := make([][]float64, len(ways))
	for round := -1; round < o.Rounds; round++ {
		for i := range ways {
			i = (i + max(round, 0)) % len(ways)
			start := time.Now()
			for range o.Repetitions { // both ranks are in step
				if err := ways[i](); err != nil {
					return row, err
				}
			}
			if round >= 0 { // the first warms up
				took[i] = append(took[i], float64(time.Since(start))/float64(2*o.Repetitions))
			}
		}
	}
	var toWhole, toHand []float64
	for i := range took[0] {
		toWhole, toHand = append(toWhole, took[0][i]/took[1][i]), append(toHand, took[2][i]/took[1][i])
	}
	row.Contiguous, row.Layout, row.ByHand = time.Duration(median(took[0])), time.Duration(median(took[1])), time.Duration(median(took[2]))
	row.ToContiguous, row.ToByHand = median(toWhole), median(toHand)
	return row, nil
}

// pingPong is one message there and one back.
func pingPong[T any](w *mpi.Comm, send, recv []T) error {
	if w.Rank() == 0 {
		if err := mpi.Send(w, send, 1, 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, recv, 1, 0)
		return err
	}
	if _, err := mpi.Recv(w, recv, 0, 0); err != nil {
		return err
	}
	return mpi.Send(w, send, 0, 0)
}

// byHand is pingPong of blocks of k elements that the program packs and unpacks.
func byHand(w *mpi.Comm, sparse, packed []float64, k int) error {
	pack := func() {
		for i := 0; i < len(packed); i += k {
			copy(packed[i:i+k], sparse[2*i:])
		}
	}
	unpack := func() {
		for i := 0; i < len(packed); i += k {
			copy(sparse[2*i:2*i+k], packed[i:])
		}
	}
	if w.Rank() == 0 {
		pack()
		if err := mpi.Send(w, packed, 1, 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, packed, 1, 0)
		unpack()
		return err
	}
	if _, err := mpi.Recv(w, packed, 0, 0); err != nil {
		return err
	}
	unpack()
	pack()
	return mpi.Send(w, packed, 0, 0)
}

func median(v []float64) float64 {
	v = slices.Sorted(slices.Values(v))
	return v[len(v)/2]
}

// Print writes rows as a table.
func Print(out io.Writer, rows []Row) error {
	if _, err := fmt.Fprintln(out, "    bytes   block  contiguous      layout     by hand  layout/contiguous  layout/by hand"); err != nil {
		return err
	}
	for _, r := range rows {
		us := func(d time.Duration) float64 { return float64(d) / float64(time.Microsecond) }
		if _, err := fmt.Fprintf(out, "%9d %7d %8.1f us %8.1f us %8.1f us %18.2f %15.2f\n",
			r.Bytes, r.Block, us(r.Contiguous), us(r.Layout), us(r.ByHand), r.ToContiguous, r.ToByHand); err != nil {
			return err
		}
	}
	return nil
}
