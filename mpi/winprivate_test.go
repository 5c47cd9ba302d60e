package mpi_test

import (
	"errors"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// Ranks in different calls of a window are told of these calls, not of the collective calls that they consist of.
func TestDifferentCallsOfAWindow(t *testing.T) {
	for _, net := range transports {
		t.Run(net.name, func(t *testing.T) {
			t.Parallel()
			mpitest.Run(t, 3, func(c *mpi.Comm) error {
				w, err := mpi.WinCreate(c, make([]int, 1))
				if err != nil {
					return err
				}
				if c.Rank() == 1 {
					err = w.Free()
				} else {
					err = w.Fence()
				}
				for _, text := range []string{": rank 0 is in Fence (", " and rank 1 in WinFree (", "; all ranks must " + sameOrder} {
					if !errors.Is(err, mpi.ErrMismatch) || !strings.Contains(err.Error(), text) {
						t.Errorf("rank %d was told %v", c.Rank(), err)
					}
				}
				return mpi.Barrier(c) // no rank leaves before all have been told
			}, net.option, mpitest.Patience(20*time.Millisecond), mpitest.Timeout(20*time.Second))
		})
	}
}

// Where no accesses are compared, too: a fence is no end of a window.
func TestFenceAndFreeOfAJobThatIsNotChecked(t *testing.T) {
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocate[int](c, 1)
		if err != nil {
			return err
		}
		call, other := "Fence", "WinFree"
		if c.Rank() == 1 {
			call, other = other, call
			err = w.Free()
		} else {
			err = w.Fence()
		}
		if !errors.Is(err, mpi.ErrMismatch) || !strings.HasPrefix(err.Error(), "mpi: "+call) || !strings.Contains(err.Error(), "is in "+other+"; all ranks must") {
			t.Errorf("rank %d was told %v", c.Rank(), err)
		}
		return mpi.Barrier(c)
	}, mpitest.Unguarded(), mpitest.Timeout(20*time.Second))
}
