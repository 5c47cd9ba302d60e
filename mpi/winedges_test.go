package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
)

// TestEpochOfProcNull: Lock of ProcNull begins an epoch for accesses to it, by calls of
// all kinds, which Unlock must end (12.3).
func TestEpochOfProcNull(t *testing.T) {
	onWindows(t, 2, 2, func(c *mpi.Comm, w *mpi.Win[int]) error {
		for _, kind := range []mpi.LockType{mpi.LockShared, mpi.LockExclusive} {
			v, null := []int{1}, mpi.ProcNull
			err := errors.Join(w.Lock(kind, null), w.Put(v, null, 9), w.Accumulate(v, null, 9, mpi.Sum),
				mpi.WaitAll(w.Rput(v, null, 0), w.Rget(v, null, 0), w.Raccumulate(v, null, 0, mpi.Sum), w.RgetAccumulate(v, []int{1}, null, 0, mpi.Sum)),
				w.Flush(null), w.FlushLocal(null), w.FlushAll(), w.FlushLocalAll())
			err = errors.Join(err,
				is(w.Put(v, 0, 0), mpi.ErrRMASync, ""), is(w.Lock(kind, null), mpi.ErrRMASync, ""), is(w.LockAll(), mpi.ErrRMASync, ""),
				is(w.Fence(), mpi.ErrRMASync, "mpi: Fence on world.win1: ranks [-2] are locked; Unlock them first"), is(w.Free(), mpi.ErrRMASync, ""))
			other := 1 - c.Rank() // a rank may be locked at the same time
			err = errors.Join(err, w.Lock(mpi.LockShared, other), w.Put(v, other, c.Rank()), w.Unlock(null), w.Put(v, null, 0), w.Unlock(other))
			err = errors.Join(err, is(w.Unlock(null), mpi.ErrRMASync, ""), w.Fence(), w.Fence(mpi.NoSucceed))
			if err != nil {
				return err
			}
		}
		return nil
	})
}
