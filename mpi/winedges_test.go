package mpi_test

import (
	"errors"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
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

// TestInfoOfWindows: the hints of a window are those that were given and that are
// recognized, and the defaults of the others (12.2.7); they can be given again.
func TestInfoOfWindows(t *testing.T) {
	onWindows(t, 2, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		info, err := w.Info()
		if err != nil {
			return err
		}
		_, unknown := info["of no meaning"]
		return errors.Join(equal(mpi.HintNoLocks, info[mpi.HintNoLocks], "false"), equal("order", info["accumulate_ordering"], "rar,raw,war,waw"),
			equal("operations", info["accumulate_ops"], "same_op_no_op"), w.SetInfo(mpi.Info{"of no meaning": "true"}), equal("unknown", unknown, false), w.SetInfo(info))
	})
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		w, err := mpi.WinAllocateShared[int](c, 1, mpi.Info{mpi.HintNoLocks: "true", "of no meaning": "true"})
		if err != nil {
			return err
		}
		info, err := w.Info()
		_, unknown := info["of no meaning"]
		return errors.Join(err, equal(mpi.HintNoLocks, info[mpi.HintNoLocks], "true"), equal(mpi.HintNonContiguousPart, info[mpi.HintNonContiguousPart], "false"),
			equal("unknown", unknown, false), w.Free())
	})
}

// TestSharedOfAllFlavors: where the memory of a rank cannot be reached by loads and stores,
// Shared returns nothing; in a dynamic window there is nothing to ask for (12.2.3).
func TestSharedOfAllFlavors(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		mine := make([]int, c.Rank()) // rank 0 has no part
		w, err := mpi.WinCreate(c, mine)
		if err != nil {
			return err
		}
		for r := range c.Size() {
			part, err := w.Shared(r)
			want := 0
			if r == c.Rank() {
				want = r
			}
			if err := errors.Join(err, equal("elements", len(part), want)); err != nil {
				return err
			}
		}
		first, err := w.Shared(mpi.ProcNull)
		_, none := w.Shared(3)
		err = errors.Join(err, equal("the first part is own", len(first) == 1, c.Rank() == 1), is(none, mpi.ErrRank, ""), w.Free())
		if err != nil {
			return err
		}
		d, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		_, dynamic := d.Shared(c.Rank())
		return errors.Join(is(dynamic, mpi.ErrRMAFlavor, ""), equal("size", d.Len(c.Rank()), 0), equal("memory", len(d.Local()), 0), d.Free())
	})
}

// TestLocalOfAFreedWindow: a window that has been freed has no part any more, whose memory
// another window may have got (12.2.5).
func TestLocalOfAFreedWindow(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		for _, create := range []func() (*mpi.Win[int], error){
			func() (*mpi.Win[int], error) { return mpi.WinAllocate[int](c, 4) },
			func() (*mpi.Win[int], error) { return mpi.WinCreate(c, make([]int, 4)) },
		} {
			w, err := create()
			if err != nil {
				return err
			}
			as, err := mpi.WinAs[int16](w)
			if err := errors.Join(err, equal("own part", len(w.Local()), 4), equal("as int16", len(as.Local()), 16), w.Free(),
				equal("freed", w.Local() == nil, true), equal("freed, as int16", as.Local() == nil, true)); err != nil {
				return err
			}
		}
		return nil
	})
}
