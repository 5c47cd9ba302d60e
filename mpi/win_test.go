package mpi_test

import (
	"errors"
	"fmt"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// A windowMaker makes a window with n elements on each rank.
type windowMaker struct {
	name string
	make func(c *mpi.Comm, n int) (*mpi.Win[int], error)
}

func windowMakers() []windowMaker {
	return []windowMaker{
		{"allocated", func(c *mpi.Comm, n int) (*mpi.Win[int], error) { return mpi.WinAllocate[int](c, n) }},
		{"created", func(c *mpi.Comm, n int) (*mpi.Win[int], error) { return mpi.WinCreate(c, make([]int, n)) }},
	}
}

// onWindows runs fn everywhere with each kind of window.
func onWindows(t *testing.T, ranks, n int, fn func(c *mpi.Comm, w *mpi.Win[int]) error) {
	t.Helper()
	for _, m := range windowMakers() {
		t.Run(m.name, func(t *testing.T) {
			everywhere(t, ranks, func(c *mpi.Comm) error {
				w, err := m.make(c, n)
				if err != nil {
					return err
				}
				if err := fn(c, w); err != nil {
					return err
				}
				return w.Free()
			})
		})
	}
}

// TestFenceCompletesPuts: everything put before Fence is at the target after it
// (MPI 4.1, section 12.5.1).
func TestFenceCompletesPuts(t *testing.T) {
	onWindows(t, 3, 3, func(c *mpi.Comm, w *mpi.Win[int]) error {
		for round := range 5 {
			if err := w.Fence(); err != nil {
				return err
			}
			for target := range c.Size() {
				if err := w.Put([]int{100*round + 10*target + c.Rank()}, target, c.Rank()); err != nil {
					return err
				}
			}
			if err := w.Fence(mpi.NoSucceed); err != nil {
				return err
			}
			for r, v := range w.Local() {
				if err := equal("element", v, 100*round+10*c.Rank()+r); err != nil {
					return err
				}
			}
			if err := mpi.Barrier(c); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestGetInFence: Get reads what the target stored before the epoch (12.5.1).
func TestGetInFence(t *testing.T) {
	onWindows(t, 4, 100, func(c *mpi.Comm, w *mpi.Win[int]) error {
		copy(w.Local(), sequence(100, 1000*c.Rank()))
		if err := w.Fence(mpi.NoPrecede); err != nil {
			return err
		}
		buf := make([]int, 50)
		from := (c.Rank() + 1) % c.Size()
		if err := w.Get(buf, from, 25); err != nil {
			return err
		}
		if err := equalAll("got", buf, sequence(50, 1000*from+25)); err != nil {
			return err
		}
		return w.Fence(mpi.NoStore, mpi.NoPut, mpi.NoSucceed)
	})
}

// TestPostStartCompleteWait: a ring in which each rank puts to the next one (12.5.2).
func TestPostStartCompleteWait(t *testing.T) {
	onWindows(t, 4, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		all, err := w.Group()
		if err != nil {
			return err
		}
		before, err := all.Incl((c.Rank() + c.Size() - 1) % c.Size())
		if err != nil {
			return err
		}
		next := (c.Rank() + 1) % c.Size()
		after, err := all.Incl(next)
		if err != nil {
			return err
		}
		for round := range 10 {
			if err := errors.Join(w.Post(before), w.Start(after), w.Put([]int{10*round + c.Rank()}, next, 0), w.Complete()); err != nil {
				return err
			}
			if round%2 == 0 {
				if err := w.Wait(); err != nil {
					return err
				}
			} else {
				for done := false; !done; {
					if done, err = w.Test(); err != nil {
						return err
					}
				}
			}
			if err := equal("element", w.Local()[0], 10*round+(c.Rank()+c.Size()-1)%c.Size()); err != nil {
				return err
			}
		}
		return nil
	})
}

// TestExclusiveLock: ranks that read, add and write under an exclusive lock lose no addition (12.5.3).
func TestExclusiveLock(t *testing.T) {
	const rounds = 20
	onWindows(t, 4, 2, func(c *mpi.Comm, w *mpi.Win[int]) error {
		buf := []int{0}
		for range rounds {
			err := errors.Join(w.Lock(mpi.LockExclusive, 0), w.Get(buf, 0, 1), w.Flush(0))
			buf[0]++
			if err = errors.Join(err, w.Put(buf, 0, 1), w.Unlock(0)); err != nil {
				return err
			}
		}
		if err := mpi.Barrier(c); err != nil {
			return err
		}
		if c.Rank() == 0 {
			if err := errors.Join(w.Lock(mpi.LockShared, 0), equal("sum", w.Local()[1], rounds*c.Size()), w.Unlock(0)); err != nil {
				return err
			}
		}
		return mpi.Barrier(c)
	})
}

// TestFetchAndOpCounts: each rank gets a different number from a shared counter
// (12.3.4).
func TestFetchAndOpCounts(t *testing.T) {
	const draws = 25
	onWindows(t, 4, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if err := w.LockAll(); err != nil {
			return err
		}
		mine := make([]int, draws)
		for i := range mine {
			var err error
			if mine[i], err = w.FetchAndOp(1, 0, 0, mpi.Sum); err != nil {
				return err
			}
			if i > 0 && mine[i] <= mine[i-1] {
				return fmt.Errorf("drew %d after %d", mine[i], mine[i-1])
			}
		}
		if err := w.UnlockAll(); err != nil {
			return err
		}
		all := make([]int, draws*c.Size())
		if err := mpi.Allgather(c, mine, all); err != nil {
			return err
		}
		seen := make([]bool, len(all))
		for _, v := range all {
			if v < 0 || v >= len(seen) || seen[v] {
				return fmt.Errorf("%d was drawn twice, or is no draw", v)
			}
			seen[v] = true
		}
		return nil
	})
}

// TestCompareAndSwap: of ranks that swap the same value one succeeds, and the others
// get what it stored (12.3.4).
func TestCompareAndSwap(t *testing.T) {
	onWindows(t, 4, 3, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if err := w.LockAll(); err != nil {
			return err
		}
		old, err := w.CompareAndSwap(0, 1+c.Rank(), 1, 2)
		if err != nil {
			return err
		}
		won := 0
		if old == 0 {
			won = 1
		}
		if err := w.UnlockAll(); err != nil {
			return err
		}
		sum, stays := []int{won}, []int{0}
		if err := mpi.Allreduce(c, sum, sum, mpi.Sum); err != nil {
			return err
		}
		if err := errors.Join(w.Lock(mpi.LockShared, 1), w.Get(stays, 1, 2), w.Unlock(1)); err != nil {
			return err
		}
		if won == 1 {
			old = 1 + c.Rank()
		}
		return errors.Join(equal("winners", sum[0], 1), equal("what stays", stays[0], old))
	})
}

// TestAccumulateIsAtomic: no addition of any rank to the same elements is lost, for
// kinds of numbers that the processor adds and for others (12.7.1).
func TestAccumulateIsAtomic(t *testing.T) {
	everywhere(t, 4, func(c *mpi.Comm) error {
		return errors.Join(accumulates[int32](c), accumulates[uint64](c), accumulates[float32](c), accumulates[float64](c),
			accumulates[int16](c), accumulates[uint8](c), accumulates[complex128](c), accumulates[complex64](c))
	})
}

func accumulates[T int16 | int32 | uint8 | uint64 | float32 | float64 | complex64 | complex128](c *mpi.Comm) error {
	const rounds, n = 10, 7
	for _, create := range []bool{false, true} {
		begin := func() (*mpi.Win[T], error) { return mpi.WinAllocate[T](c, n+2) }
		if create {
			begin = func() (*mpi.Win[T], error) { return mpi.WinCreate(c, make([]T, n+2)) }
		}
		w, err := begin()
		if err != nil {
			return err
		}
		ones := make([]T, n)
		for i := range ones {
			ones[i] = T(1)
		}
		if err := w.Fence(); err != nil {
			return err
		}
		for range rounds {
			for target := range c.Size() {
				if err := w.Accumulate(ones, target, 1, mpi.Sum); err != nil {
					return err
				}
			}
		}
		if err := w.Fence(); err != nil {
			return err
		}
		want := make([]T, n+2)
		for range rounds * c.Size() {
			for i := range ones {
				want[i+1]++
			}
		}
		if err := errors.Join(equalAll(fmt.Sprintf("%T", want[0]), w.Local(), want), w.Free()); err != nil {
			return err
		}
	}
	return nil
}

// TestAccumulateOrder: of two accumulates of one rank to one element the later call
// takes effect later (12.7.1).
func TestAccumulateOrder(t *testing.T) {
	onWindows(t, 2, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if c.Rank() == 1 {
			if err := w.Lock(mpi.LockShared, 0); err != nil {
				return err
			}
			for i := range 20 {
				if err := errors.Join(w.Accumulate([]int{7}, 0, 0, mpi.Replace), w.Accumulate([]int{i}, 0, 0, mpi.Sum)); err != nil {
					return err
				}
				v, err := w.FetchAndOp(0, 0, 0, mpi.NoOp)
				if err = errors.Join(err, equal("sum", v, 7+i)); err != nil {
					return err
				}
			}
			if err := w.Unlock(0); err != nil {
				return err
			}
		}
		return mpi.Barrier(c)
	})
}

// TestPassiveTarget: a rank is read, changed and locked while it makes no call of MPI
// (12.5.3).
func TestPassiveTarget(t *testing.T) {
	onWindows(t, 2, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if c.Rank() == 0 {
			_, err := mpi.Recv(c, []int{0}, 1, 0)
			return errors.Join(err, equalAll("local", w.Local(), []int{0, 5, 0, 0}), mpi.Barrier(c))
		}
		buf := []int{0}
		err := errors.Join(w.Lock(mpi.LockExclusive, 0), w.Put([]int{5}, 0, 1), w.Unlock(0),
			w.Lock(mpi.LockShared, 0), w.Get(buf, 0, 1), w.Unlock(0), equal("got", buf[0], 5), mpi.Send(c, buf, 0, 0))
		return errors.Join(err, mpi.Barrier(c))
	})
}

// TestRequests: requests in epochs of Lock and LockAll are complete and return errors
// (12.3.5).
func TestRequests(t *testing.T) {
	onWindows(t, 2, 4, func(c *mpi.Comm, w *mpi.Win[int]) error {
		other := 1 - c.Rank()
		if _, err := w.Rput([]int{1}, other, 0).Wait(); !errors.Is(err, mpi.ErrRMASync) {
			return fmt.Errorf("Rput outside of an epoch: %v", err)
		}
		if err := w.Fence(); err != nil {
			return err
		}
		if _, err := w.Rput([]int{1}, other, 0).Wait(); !errors.Is(err, mpi.ErrRMASync) {
			return fmt.Errorf("Rput in an epoch of Fence: %v", err)
		}
		if err := w.Fence(mpi.NoSucceed); err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		got, old := make([]int, 2), make([]int, 2)
		first := errors.Join(waited(w.Rput([]int{3, 4}, other, 2*0)), w.Flush(other), waited(w.Raccumulate([]int{1}, other, 1, mpi.Sum)), w.Flush(other))
		second := mpi.WaitAll(w.Rget(got, other, 0), w.RgetAccumulate([]int{9, 9}, old, other, 2, mpi.Replace))
		if err := errors.Join(first, second, equalAll("got", got, []int{3, 5}), equalAll("old", old, []int{0, 0})); err != nil {
			return err
		}
		if _, err := w.Rget(got, other, 3).Wait(); !errors.Is(err, mpi.ErrRMARange) {
			return fmt.Errorf("Rget beyond the end: %v", err)
		}
		return errors.Join(w.FlushAll(), w.FlushLocalAll(), w.FlushLocal(other), w.UnlockAll(), mpi.Barrier(c))
	})
}

// TestSharedWindow: parts follow each other and all ranks load from and store to them (12.2.3).
func TestSharedWindow(t *testing.T) {
	for _, n := range []int{1, 3} {
		mpitest.Run(t, n, func(c *mpi.Comm) error {
			w, err := mpi.WinAllocateShared[int32](c, 1+c.Rank())
			if err != nil {
				return err
			}
			for i := range w.Local() {
				w.Local()[i] = int32(10*c.Rank() + i)
			}
			if err := w.Fence(); err != nil {
				return err
			}
			first, err := w.Shared(mpi.ProcNull)
			if err != nil {
				return err
			}
			if err := equal("first", len(first), 1); err != nil {
				return err
			}
			for r := range c.Size() {
				part, err := w.Shared(r)
				if err != nil {
					return err
				}
				for i, v := range part {
					if err := equal("element", v, int32(10*r+i)); err != nil {
						return err
					}
				}
				if err := equal("length", len(part), w.Len(r)); err != nil {
					return err
				}
			}
			whole, err := mpi.WinAs[byte](w)
			if err != nil {
				return err
			}
			return errors.Join(equal("bytes", whole.Len(c.Size()-1), 4*c.Size()), w.Fence(mpi.NoSucceed), w.Free())
		})
	}
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		_, err := mpi.WinAllocateShared[int](c, 1)
		return is(err, mpi.ErrRMAShared, "mpi: WinAllocateShared on world.win1: this network has no memory that its ranks share; use WinAllocate")
	}, mpitest.Mailboxes())
}

// TestDynamicWindow: regions are attached and detached, and are accessed by the
// displacement that Attach returns (12.2.4).
func TestDynamicWindow(t *testing.T) {
	everywhere(t, 3, func(c *mpi.Comm) error {
		w, err := mpi.WinDynamic[int](c)
		if err != nil {
			return err
		}
		a, b := make([]int, 10), make([]int, 1000)
		da, err := w.Attach(a)
		if err != nil {
			return err
		}
		db, err := w.Attach(b)
		if err != nil {
			return err
		}
		where := make([]int, 2*c.Size())
		if err := mpi.Allgather(c, []int{da, db}, where); err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		next := (c.Rank() + 1) % c.Size()
		old, err := w.FetchAndOp(3, next, where[2*next]+9, mpi.Sum)
		err = errors.Join(err, equal("old", old, 0), w.Put(sequence(1000, c.Rank()), next, where[2*next+1]), w.Flush(next))
		if e := is(w.Put([]int{1, 2}, next, where[2*next]+9), mpi.ErrRMARange, ""); e != nil {
			err = errors.Join(err, e)
		}
		if err = errors.Join(err, w.UnlockAll(), mpi.Barrier(c)); err != nil {
			return err
		}
		before := (c.Rank() + c.Size() - 1) % c.Size()
		if err := errors.Join(equal("a", a[9], 3), equalAll("b", b, sequence(1000, before)), w.Detach(da), mpi.Barrier(c)); err != nil {
			return err
		}
		if err := w.Lock(mpi.LockShared, next); err != nil {
			return err
		}
		if e := is(w.Get([]int{0}, next, where[2*next]), mpi.ErrRMARange, ""); e != nil {
			return e
		}
		return errors.Join(w.Unlock(next), w.Free())
	})
}
