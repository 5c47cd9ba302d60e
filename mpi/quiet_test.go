package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// On the path of small messages, from the call to the network interface and back,
// nothing is allocated.
func TestNothingIsAllocatedOnTheWay(t *testing.T) {
	if testing.CoverMode() != "" {
		t.Skip("counting statements keeps calls from being inlined, and so requests from the stack")
	}
	const runs = 50
	for _, n := range []int{2, 4} {
		for _, tc := range []struct {
			name string
			call func(w *mpi.Comm, small, other []float64) error
		}{
			{"Send and Recv", func(w *mpi.Comm, small, other []float64) error {
				return pingPong(w, small, other)
			}},
			{"Isend, Irecv and WaitAll", func(w *mpi.Comm, small, other []float64) error {
				peer := w.Rank() ^ 1
				return mpi.WaitAll(mpi.Irecv(w, other, peer, 1), mpi.Isend(w, small, peer, 1))
			}},
			{"Barrier", func(w *mpi.Comm, _, _ []float64) error { return mpi.Barrier(w) }},
			{"Allreduce", func(w *mpi.Comm, small, other []float64) error {
				return mpi.Allreduce(w, small, other, mpi.Sum)
			}},
			{"Bcast", func(w *mpi.Comm, small, _ []float64) error { return mpi.Bcast(w, small, 0) }},
		} {
			t.Run(fmt.Sprintf("%s/%d", tc.name, n), func(t *testing.T) {
				mpitest.Run(t, n, func(w *mpi.Comm) error {
					small, other := make([]float64, 3), make([]float64, 3)
					got, err := allocations(w, runs, func() error { return tc.call(w, small, other) })
					return errors.Join(err, equal("allocations a run", got, 0))
				})
			})
		}
	}
}

// allocations returns the number of allocations of a call that all ranks of c make at
// once, after some calls that fill pools, and use all flags of a lap: what watches the
// job here keeps what each carries. All ranks but one return 0.
func allocations(c *mpi.Comm, runs int, f func() error) (got float64, failed error) {
	call := func() {
		if err := f(); err != nil {
			failed = err
		}
	}
	for range 64 {
		call()
	}
	// The count is that of all ranks: none may be before or behind.
	if err := mpi.Barrier(c); err != nil {
		return 0, err
	}
	if c.Rank() == 0 {
		got = testing.AllocsPerRun(runs, call)
	} else {
		for range runs + 1 {
			call()
		}
	}
	return got, errors.Join(failed, mpi.Barrier(c))
}

// pingPong exchanges two messages between the ranks of each pair.
func pingPong(w *mpi.Comm, out, in []float64) error {
	peer := w.Rank() ^ 1
	if w.Rank() < peer {
		if err := mpi.Send(w, out, peer, 0); err != nil {
			return err
		}
		_, err := mpi.Recv(w, in, peer, 0)
		return err
	}
	if _, err := mpi.Recv(w, in, peer, 0); err != nil {
		return err
	}
	return mpi.Send(w, out, peer, 0)
}
