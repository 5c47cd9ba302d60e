package mpi_test

import (
	"errors"
	"testing"
	"time"

	"rhinet/mpi"
)

// Ranks that wait for a lock so long that they ask who has it get it in turn.
func TestWaitsForLocksThatLast(t *testing.T) {
	t.Parallel()
	bothWays(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinCreate(c, make([]int, 1))
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = w.Lock(mpi.LockExclusive, 0)
		}
		if err = errors.Join(err, mpi.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() != 0 {
			err = w.Lock(mpi.LockExclusive, 0)
		}
		time.Sleep(250 * time.Millisecond)
		if err == nil {
			err = second(w.FetchAndOp(1, 0, 0, mpi.Sum))
		}
		if err = errors.Join(err, w.Unlock(0), mpi.Barrier(c)); err != nil {
			return err
		}
		if c.Rank() == 0 {
			err = equal("ranks", w.Local()[0], 3)
		}
		return errors.Join(err, w.Free())
	})
}
