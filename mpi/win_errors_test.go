package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// TestWindowMisuse: each mistake is an error of its class, which says what to do, and
// the window is unchanged.
func TestWindowMisuse(t *testing.T) {
	v := []int{1, 2}
	cases := []struct {
		name  string
		do    func(w *mpi.Win[int]) error
		class mpi.Class
		want  string
	}{
		{"Put outside of an epoch", func(w *mpi.Win[int]) error { return w.Put(v, 1, 0) }, mpi.ErrRMASync,
			"Put on world.win1 to 1: there is no epoch; call Fence, Start, Lock or LockAll first"},
		{"Get outside of an epoch", func(w *mpi.Win[int]) error { return w.Get(v, 1, 0) }, mpi.ErrRMASync, "Get on world.win1 from 1"},
		{"Accumulate outside of an epoch", func(w *mpi.Win[int]) error { return w.Accumulate(v, 1, 0, mpi.Sum) }, mpi.ErrRMASync, "no epoch"},
		{"FetchAndOp outside of an epoch", func(w *mpi.Win[int]) error { _, err := w.FetchAndOp(1, 1, 0, mpi.Sum); return err }, mpi.ErrRMASync, "no epoch"},
		{"CompareAndSwap outside of an epoch", func(w *mpi.Win[int]) error { _, err := w.CompareAndSwap(1, 1, 1, 0); return err }, mpi.ErrRMASync, "no epoch"},
		{"Unlock without Lock", func(w *mpi.Win[int]) error { return w.Unlock(1) }, mpi.ErrRMASync, "this rank has not locked it; call Lock first"},
		{"UnlockAll without LockAll", func(w *mpi.Win[int]) error { return w.UnlockAll() }, mpi.ErrRMASync, "no epoch of LockAll"},
		{"Complete without Start", func(w *mpi.Win[int]) error { return w.Complete() }, mpi.ErrRMASync, "no epoch of Start"},
		{"Wait without Post", func(w *mpi.Win[int]) error { return w.Wait() }, mpi.ErrRMASync, "no epoch of Post"},
		{"Test without Post", func(w *mpi.Win[int]) error { _, err := w.Test(); return err }, mpi.ErrRMASync, "no epoch of Post"},
		{"Flush outside of an epoch", func(w *mpi.Win[int]) error { return w.Flush(1) }, mpi.ErrRMASync, "no epoch of Lock or LockAll"},
		{"FlushAll outside of an epoch", func(w *mpi.Win[int]) error { return w.FlushAll() }, mpi.ErrRMASync, "no epoch of Lock or LockAll"},
		{"Put to a rank that does not exist", locked(func(w *mpi.Win[int]) error { return w.Put(v, 2, 0) }), mpi.ErrRank, "there is no rank 2; ranks are 0 to 1"},
		{"Put beyond the end", locked(func(w *mpi.Win[int]) error { return w.Put(v, 1, 3) }), mpi.ErrRMARange,
			"2 elements from 3 on are not all within the 4 that rank 1 has in the window"},
		{"Get before the beginning", locked(func(w *mpi.Win[int]) error { return w.Get(v, 1, -1) }), mpi.ErrRMARange, "2 elements from -1 on"},
		{"FetchAndOp beyond the end", locked(func(w *mpi.Win[int]) error { _, err := w.FetchAndOp(1, 1, 4, mpi.Sum); return err }), mpi.ErrRMARange, "from 4 on"},
		{"a user's operation", locked(func(w *mpi.Win[int]) error {
			return w.Accumulate(v, 1, 0, mpi.OpFunc(func(_, _ []int) {}))
		}), mpi.ErrOp, "windows know the predefined operations"},
		{"no operation", locked(func(w *mpi.Win[int]) error { return w.Accumulate(v, 1, 0, nil) }), mpi.ErrOp, "the operation is nil"},
		{"an operation for other elements", locked(func(w *mpi.Win[int]) error { return w.Accumulate(v, 1, 0, mpi.MinLoc) }), mpi.ErrOp, "MinLoc is not defined"},
		{"an update that is none", locked(func(w *mpi.Win[int]) error { return w.Accumulate(v, 1, 0, mpi.NoOp) }), mpi.ErrOp,
			"Accumulate on world.win1 to 1: NoOp is for calls that fetch what is there; use Replace, or GetAccumulate"},
		{"an update that is none, by a layout", locked(func(w *mpi.Win[int]) error {
			return w.AccumulateLayout(v, 1, 0, mpi.Contiguous(2), mpi.NoOp)
		}), mpi.ErrOp, "NoOp is for calls that fetch what is there"},
		{"lengths that differ", locked(func(w *mpi.Win[int]) error { return w.GetAccumulate(v, v[:1], 1, 0, mpi.Sum) }), mpi.ErrCount, "data has 2 elements and old 1"},
		{"buffers that overlap", locked(func(w *mpi.Win[int]) error { return w.GetAccumulate(v, v, 1, 0, mpi.Sum) }), mpi.ErrBuffer, "overlap"},
		{"a lock in LockAll", locked(func(w *mpi.Win[int]) error { return w.Lock(mpi.LockShared, 1) }), mpi.ErrRMASync, "call UnlockAll first"},
		{"Fence in LockAll", locked(func(w *mpi.Win[int]) error { return w.Fence() }), mpi.ErrRMASync, "call UnlockAll first"},
		{"Free in LockAll", locked(func(w *mpi.Win[int]) error { return w.Free() }), mpi.ErrRMASync, "call UnlockAll first"},
		{"two locks of one rank", func(w *mpi.Win[int]) error {
			return errors.Join(w.Lock(mpi.LockShared, 1), w.Lock(mpi.LockShared, 1), w.Unlock(1))
		}, mpi.ErrRMASync, "this rank has locked it already; Unlock it first"},
		{"access to a rank that is not locked", func(w *mpi.Win[int]) error {
			return errors.Join(w.Lock(mpi.LockShared, 0), w.Put(v, 1, 0), w.Unlock(0))
		}, mpi.ErrRMASync, "rank 1 is not locked; Lock it first, or LockAll"},
		{"Unlock of another rank", func(w *mpi.Win[int]) error {
			return errors.Join(w.Lock(mpi.LockShared, 0), w.Unlock(1), w.Unlock(0))
		}, mpi.ErrRMASync, "Unlock on world.win1 to 1"},
		{"Free with a lock", func(w *mpi.Win[int]) error {
			return errors.Join(w.Lock(mpi.LockShared, 0), w.Free(), w.Unlock(0))
		}, mpi.ErrRMASync, "ranks [0] are locked; Unlock them first"},
		{"a lock of no type", func(w *mpi.Win[int]) error { return w.Lock(mpi.LockType(7), 0) }, mpi.ErrLockType, "there is no lock of type 7"},
		{"a lock of no rank", func(w *mpi.Win[int]) error { return w.Lock(mpi.LockShared, 9) }, mpi.ErrRank, "there is no rank 9"},
		{"an assertion for another call", func(w *mpi.Win[int]) error { return w.Fence(mpi.NoCheck) }, mpi.ErrAssert, "does not take the assertion 0x1"},
		{"a part of more memory", func(w *mpi.Win[int]) error { _, err := w.Attach(v); return err }, mpi.ErrRMAFlavor, "only one of WinDynamic"},
		{"Detach of no dynamic window", func(w *mpi.Win[int]) error { return w.Detach(0) }, mpi.ErrRMAFlavor, "only one of WinDynamic"},
	}
	onWindows(t, 2, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		for _, k := range cases {
			err := k.do(w)
			if !errors.Is(err, k.class) || !strings.Contains(err.Error(), k.want) {
				return fmt.Errorf("%s: got %v; want %v: %s", k.name, err, k.class, k.want)
			}
		}
		return errors.Join(w.Lock(mpi.LockExclusive, 0), w.Unlock(0), mpi.Barrier(c))
	})
}

// TestFinalizeInAnEpoch: a rank that forgets to end an epoch learns of it, while others wait
// for the lock that it has. The epoch can still be ended.
func TestFinalizeInAnEpoch(t *testing.T) {
	onWindows(t, 2, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		all, err := c.Group()
		if err != nil {
			return err
		}
		other, err := all.Incl(1 - c.Rank())
		if err != nil {
			return err
		}
		nothing := func() error { return nil }
		for _, k := range []struct {
			begin, end func() error
			want       string
		}{
			{func() error { return w.Lock(mpi.LockShared, 1) }, func() error { return w.Unlock(1) }, "ranks [1] are locked; Unlock them first"},
			{func() error { return w.LockAll() }, w.UnlockAll, "the epoch of LockAll has not ended; call UnlockAll first"},
			{func() error { return w.Start(other, mpi.NoCheck) }, w.Complete, "the epoch of Start has not ended; call Complete first"},
			{func() error { return w.Post(other, mpi.NoCheck) }, nothing, "the epoch of Post has not ended; call Wait first"},
		} {
			if err := k.begin(); err != nil {
				return err
			}
			if err := is(mpi.Finalize(c), mpi.ErrRMASync, "mpi: Finalize on "+w.Name()+": "+k.want); err != nil {
				return err
			}
			if err := k.end(); err != nil {
				return err
			}
		}
		return w.Wait()
	})
}

// locked makes do in an epoch of LockAll.
func locked(do func(w *mpi.Win[int]) error) func(w *mpi.Win[int]) error {
	return func(w *mpi.Win[int]) error { return errors.Join(w.LockAll(), do(w), w.UnlockAll()) }
}

// MPI 4.1, section 12.2.2: a window for which there cannot be memory is an error on all ranks.
func TestWindowsLargerThanMemory(t *testing.T) {
	everywhere(t, 2, func(c *mpi.Comm) error {
		n := 1
		if c.Rank() == 1 {
			n = 1 << 50
		}
		_, local := mpi.WinAllocate[int](c, n)
		_, shared := mpi.WinAllocateShared[int](c, n)
		return errors.Join(
			is(local, mpi.ErrSize, "mpi: WinAllocate on world.win1: the window is larger than memory can be"),
			is(shared, mpi.ErrSize, "mpi: WinAllocateShared on world.win2: the window is larger than memory can be"))
	})
}

// TestWindowMistakesOfAll: contributions of ranks that do not match are an error on all
// of them.
func TestWindowMistakesOfAll(t *testing.T) {
	t.Parallel() // it mostly waits
	everywhere(t, 2, func(c *mpi.Comm) error {
		_, err := mpi.WinAllocate[int](c, -1)
		if e := is(err, mpi.ErrSize, ""); e != nil {
			return e
		}
		if c.Rank() == 0 {
			_, err = mpi.WinAllocate[int32](c, 4)
		} else {
			_, err = mpi.WinAllocate[float64](c, 4)
		}
		if e := is(err, mpi.ErrType, ""); e != nil {
			return e
		}
		_, err = mpi.WinAllocate[*int](c, 4)
		if e := is(err, mpi.ErrType, ""); e != nil {
			return e
		}
		d, err := c.Dup()
		if err != nil {
			return err
		}
		if c.Rank() == 0 {
			_, err = mpi.WinAllocate[int](d, 4)
		} else {
			_, err = mpi.WinCreate(d, []int{1})
		}
		return is(err, mpi.ErrMismatch, "")
	})
}

// TestWindowsThatAreNot: a nil window, and a freed one, are errors in every call.
func TestWindowsThatAreNot(t *testing.T) {
	mpitest.Run(t, 1, func(c *mpi.Comm) error {
		freed, err := mpi.WinAllocate[int](c, 1)
		if err != nil {
			return err
		}
		if err := freed.Free(); err != nil {
			return err
		}
		for _, w := range []*mpi.Win[int]{nil, freed} {
			g, _ := c.Group()
			one := mpi.Contiguous(1)
			view := mpi.View([]int{1}, one)
			_, e1 := w.FetchAndOp(1, 0, 0, mpi.Sum)
			_, e2 := w.CompareAndSwap(1, 1, 0, 0)
			_, e3 := w.Shared(0)
			_, e4 := mpi.WinAs[byte](w)
			_, e5 := w.Rput([]int{1}, 0, 0).Wait()
			_, e6 := w.Test()
			_, e7 := w.Info()
			_, e8 := w.Group()
			_, e9 := w.Attach([]int{1})
			for i, err := range []error{
				w.Put([]int{1}, 0, 0), w.Get([]int{1}, 0, 0), w.Accumulate([]int{1}, 0, 0, mpi.Sum),
				w.GetAccumulate([]int{1}, []int{1}, 0, 0, mpi.Sum), w.Fence(), w.Post(g), w.Start(g), w.Complete(), w.Wait(),
				w.Lock(mpi.LockShared, 0), w.Unlock(0), w.LockAll(), w.UnlockAll(), w.Flush(0), w.FlushAll(), w.Sync(), w.Free(),
				w.PutLayout([]int{1}, 0, 0, one), w.GetLayout([]int{1}, 0, 0, one), w.AccumulateLayout([]int{1}, 0, 0, one, mpi.Sum),
				w.GetAccumulateLayout([]int{1}, []int{1}, 0, 0, one, mpi.Sum), w.PutView(view, 0, 0, one), w.GetView(view, 0, 0, one),
				w.AccumulateView(view, 0, 0, one, mpi.Sum), w.GetAccumulateView(view, view, 0, 0, one, mpi.Sum),
				w.SetName("x"), w.SetInfo(nil), w.Detach(0), e1, e2, e3, e4, e5, e6, e7, e8, e9,
			} {
				if !errors.Is(err, mpi.ErrWin) {
					return fmt.Errorf("call %d: %v", i, err)
				}
			}
		}
		_, err = mpi.WinAs[int](nil)
		return is(err, mpi.ErrWin, "mpi: WinAs: the window is nil or a zero Win; use one that a call has made without an error")
	})
}

// TestStartMisuse: an epoch of Start allows access only to its ranks, and no other
// epoch at the same time.
func TestStartMisuse(t *testing.T) {
	onWindows(t, 2, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		all, err := w.Group()
		if err != nil {
			return err
		}
		me, err := all.Incl(c.Rank())
		if err != nil {
			return err
		}
		if err := errors.Join(w.Post(me), w.Start(me)); err != nil {
			return err
		}
		other := 1 - c.Rank()
		for i, err := range []error{w.Put([]int{1}, other, 0), w.Start(me), w.Post(me), w.LockAll(), w.Lock(mpi.LockShared, 0), w.Fence(), w.Flush(0), w.Free()} {
			if !errors.Is(err, mpi.ErrRMASync) {
				return fmt.Errorf("call %d: %v", i, err)
			}
		}
		if err := errors.Join(w.Put([]int{7}, c.Rank(), 2), w.Complete(), w.Wait()); err != nil {
			return err
		}
		return equal("element", w.Local()[2], 7)
	})
}

// TestProcNullTarget: accesses to ProcNull do nothing, even outside of an epoch (12.3).
func TestProcNullTarget(t *testing.T) {
	onWindows(t, 2, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		_, err := w.FetchAndOp(1, mpi.ProcNull, 0, mpi.Sum)
		return errors.Join(err, w.Put([]int{1}, mpi.ProcNull, 99), w.Get([]int{1}, mpi.ProcNull, 99), w.Lock(mpi.LockShared, mpi.ProcNull), w.Unlock(mpi.ProcNull))
	})
}

// TestWindowEndsWithTheJob: a wait for a lock of a rank that failed ends with an error
// that names it. Rank 1 fails only after rank 0 has said that it asks for the lock, so
// that the end of the job ends the wait for the lock.
func TestWindowEndsWithTheJob(t *testing.T) {
	failed := errors.New("rank 1 gives up")
	for _, option := range []mpitest.Option{mpitest.NIC("martini"), mpitest.Mailboxes()} {
		waited := make(chan error, 1)
		err := mpitest.World(2, func(c *mpi.Comm) error {
			w, err := mpi.WinAllocate[int](c, 1)
			if err != nil {
				return err
			}
			if c.Rank() == 1 {
				err := errors.Join(w.Lock(mpi.LockExclusive, 0), mpi.Send(c, []int{1}, 0, 0))
				_, asks := mpi.Recv(c, []int{0}, 0, 0)
				return errors.Join(err, asks, failed)
			}
			_, err = mpi.Recv(c, []int{0}, 1, 0)
			if err = errors.Join(err, mpi.Send(c, []int{1}, 1, 0)); err != nil {
				return err
			}
			err = w.Lock(mpi.LockExclusive, 0)
			waited <- err
			return err
		}, option)
		if !errors.Is(err, failed) {
			t.Errorf("the job ended with %v", err)
		}
		select {
		case err := <-waited:
			if err == nil {
				t.Error("the lock that nobody gave back was given")
			}
		default:
			t.Error("rank 0 never asked for the lock")
		}
	}
}
