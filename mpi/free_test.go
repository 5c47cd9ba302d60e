package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// MPI 4.1, section 7.4.3: all ranks free a communicator. A rank that knows that the
// ranks are in different calls does not wait for the others, and keeps none waiting
// that does not know it.
func TestFreeAfterADisagreement(t *testing.T) {
	for _, ranks := range []int{2, 3, 5, 8} {
		mpitest.Run(t, ranks, func(w *mpi.Comm) error {
			c, err := w.Dup()
			if err != nil {
				return err
			}
			if last := ranks - 1; w.Rank() == last { // alone in its call, and told so
				err = is(mpi.Barrier(c), mpi.ErrMismatch, "")
			} else { // the root, and ranks that receive nothing from the last one, complete the call
				err = mpi.Bcast(c, []int{1}, 0)
			}
			return errors.Join(err, c.Free(), mpi.Barrier(w))
		}, mpitest.NIC("martini"), mpitest.Unguarded())
	}
}

// A rank that waits in a collective call is told that another rank frees the
// communicator, which then need not wait for it.
func TestFreeInThePlaceOfACall(t *testing.T) {
	for _, call := range []func(c *mpi.Comm) error{mpi.Barrier, allreduce[int](1, mpi.Sum), bcast[int](1, 0)} {
		for _, ranks := range []int{2, 3, 5} {
			mpitest.Run(t, ranks, func(w *mpi.Comm) error {
				c, err := w.Dup()
				if err != nil {
					return err
				}
				if w.Rank() != 0 {
					err = tells(call(c), mpi.ErrMismatch, "rank 0 is in Free; all ranks must make the same collective calls in the same order")
				}
				return errors.Join(err, c.Free(), mpi.Barrier(w))
			}, mpitest.NIC("martini"), mpitest.Unguarded())
		}
	}
}
