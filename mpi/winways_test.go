package mpi_test

import (
	"errors"
	"fmt"
	"strings"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// hardwareWindows are windows for which the hardware of a network interface does some
// of the work.
var hardwareWindows = []struct {
	nic, ways string
	make      func(c *mpi.Comm, n int, info ...mpi.Info) (*mpi.Win[int], error)
	used      string
}{
	{"cenju4", "update=remote", mpi.WinAllocate[int], "update=remote,lock=library,memory=host"},
	{"cenju4", "update=remote,lock=ncl", mpi.WinAllocateShared[int], "update=remote,lock=library,memory=host"},
	{"cenju4", "update=remote", created, "update=processor,lock=library,memory=host"},
	{"sync", "lock=ncl", mpi.WinAllocate[int], "update=processor,lock=ncl,memory=host"},
	{"sync", "update=remote,lock=ncl", created, "update=processor,lock=ncl,memory=host"},
	{"dimmnet2", "memory=board,update=remote", mpi.WinAllocate[int], "update=processor,lock=library,memory=board"},
	{"dimmnet2", "memory=board", created, "update=processor,lock=library,memory=host"},
	{"dimmnet2", "memory=board", mpi.WinAllocateShared[int], "update=processor,lock=library,memory=host"},
	{"cenju4", "memory=board", mpi.WinAllocate[int], "update=processor,lock=library,memory=host"},
	{"martini", "update=remote,lock=ncl", mpi.WinAllocate[int], "update=processor,lock=library,memory=host"},
}

func created(c *mpi.Comm, n int, info ...mpi.Info) (*mpi.Win[int], error) {
	return mpi.WinCreate(c, make([]int, n), info...)
}

// onHardwareWindows runs fn with each of them.
func onHardwareWindows(t *testing.T, ranks, n int, fn func(c *mpi.Comm, w *mpi.Win[int]) error, options ...mpitest.Option) {
	t.Helper()
	for _, h := range hardwareWindows {
		t.Run(h.nic+" "+h.ways, func(t *testing.T) {
			mpitest.Run(t, ranks, func(c *mpi.Comm) error {
				w, err := h.make(c, n, mpi.Info{mpi.HintWindow: h.ways})
				if err != nil {
					return err
				}
				info, err := w.Info()
				if err = errors.Join(err, equal("ways", info[mpi.HintWindow], h.used)); err != nil {
					return err
				}
				if err := fn(c, w); err != nil {
					return err
				}
				return w.Free()
			}, append([]mpitest.Option{mpitest.NIC(h.nic)}, options...)...)
		})
	}
}

// TestRandomEpochsByHardware: the hardware gives the same results as a slow reference.
func TestRandomEpochsByHardware(t *testing.T) {
	for _, ranks := range []int{1, 3} {
		onHardwareWindows(t, ranks, 40, func(c *mpi.Comm, w *mpi.Win[int]) error { return randomEpochs(c, w, 40, 12) })
	}
}

// TestLongAndShortUpdatesByHardware: operations of the network interface, of processors
// and long ones do not lose each other's updates.
func TestLongAndShortUpdatesByHardware(t *testing.T) {
	onHardwareWindows(t, 4, 100, func(c *mpi.Comm, w *mpi.Win[int]) error { return longAndShort(c, w, 100, 24) })
}

// TestUpdatesOfAllKindsByHardware: additions by the network interface, with and without
// fetch, and additions to halves of a word by processors, for which it has no
// operation.
func TestUpdatesOfAllKindsByHardware(t *testing.T) {
	const rounds = 40
	onHardwareWindows(t, 3, 2, func(c *mpi.Comm, w *mpi.Win[int]) error {
		halves, err := mpi.WinAs[uint32](w)
		if err != nil {
			return err
		}
		if err := w.LockAll(); err != nil {
			return err
		}
		for range rounds {
			_, fetch := w.FetchAndOp(1, 0, 0, mpi.Sum)
			flushed := w.Flush(0)
			_, low := halves.FetchAndOp(1, 0, 0, mpi.Sum)
			if err := errors.Join(fetch, flushed, low, w.Flush(0), w.Accumulate([]int{1, 1 << 40}, 0, 0, mpi.Sum), w.Flush(0), halves.Accumulate([]uint32{0, 7}, 0, 0, mpi.BOr), w.Flush(0)); err != nil {
				return err
			}
		}
		if err := errors.Join(w.UnlockAll(), mpi.Barrier(c)); err != nil || c.Rank() != 0 {
			return err
		}
		part, err := contents(c, w)
		return errors.Join(err, equalAll("words", part, []int{3*rounds*c.Size() | 7<<32, rounds * c.Size() << 40}))
	})
}

// TestLocksByHardware: an exclusive lock excludes all others, shared ones are held at
// once, and all ranks get the lock in the end.
func TestLocksByHardware(t *testing.T) {
	const rounds = 60
	onHardwareWindows(t, 4, 2, func(c *mpi.Comm, w *mpi.Win[int]) error {
		for i := range rounds {
			if err := w.Lock(mpi.LockExclusive, 1); err != nil {
				return err
			}
			var v [1]int
			err := errors.Join(w.Get(v[:], 1, 0), w.Flush(1), w.Put([]int{v[0] + 1}, 1, 0), w.Unlock(1))
			if err != nil {
				return err
			}
			if i%8 != 0 {
				continue
			}
			if err := errors.Join(mpi.Barrier(c), w.Lock(mpi.LockShared, 1)); err != nil { // all hold it before any rank releases it
				return err
			}
			if err := errors.Join(w.Get(v[:], 1, 0), mpi.Barrier(c), w.Unlock(1)); err != nil {
				return err
			}
			if v[0] > c.Size()*rounds {
				return fmt.Errorf("%d after at most %d", v[0], c.Size()*rounds)
			}
		}
		if err := mpi.Barrier(c); err != nil || c.Rank() != 1 {
			return err
		}
		part, err := contents(c, w)
		if err != nil {
			return err
		}
		return equal("counter", part[0], c.Size()*rounds)
	})
}

// An exclusive lock waits for shared ones (MPI 4.1, section 12.5.3).
func TestExclusiveWaitsForSharedByHardware(t *testing.T) {
	onHardwareWindows(t, 3, 1, func(c *mpi.Comm, w *mpi.Win[int]) error {
		if c.Rank() == 2 {
			return errors.Join(mpi.Barrier(c), w.Lock(mpi.LockExclusive, 1), w.Put([]int{1}, 1, 0), w.Unlock(1), mpi.Barrier(c))
		}
		err := errors.Join(w.Lock(mpi.LockShared, 1), mpi.Barrier(c))
		time.Sleep(20 * time.Millisecond) // the other rank may make its call, which must not return
		v := []int{-1}
		if err = errors.Join(err, w.Get(v, 1, 0), w.Flush(1), equal("while the lock is shared", v[0], 0), w.Unlock(1), mpi.Barrier(c)); err != nil {
			return err
		}
		return errors.Join(w.Lock(mpi.LockShared, 1), w.Get(v, 1, 0), w.Unlock(1), equal("after that", v[0], 1))
	})
}

// TestManyWindowsByHardware: windows for which the network has no lock left use the
// library's; freed locks are used again.
func TestManyWindowsByHardware(t *testing.T) {
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		for range 3 {
			var all []*mpi.Win[int]
			used := map[string]int{}
			for range 20 {
				w, err := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: "lock=ncl"})
				if err != nil {
					return err
				}
				info, err := w.Info()
				if err != nil {
					return err
				}
				used[info[mpi.HintWindow]]++
				all = append(all, w)
			}
			if used["update=processor,lock=ncl,memory=host"] != 16 || used["update=processor,lock=library,memory=host"] != 4 {
				return fmt.Errorf("windows by their ways: %v", used)
			}
			for _, w := range all {
				if err := errors.Join(w.Lock(mpi.LockExclusive, 1), w.Unlock(1), w.Free()); err != nil {
					return err
				}
			}
		}
		return nil
	}, mpitest.NIC("sync"))
}

// TestWrongWays: an unknown way, and ranks that name different ones, are errors.
func TestWrongWays(t *testing.T) {
	mpitest.Run(t, 2, func(c *mpi.Comm) error {
		_, none := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: "lock=mcs"})
		_, other := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: []string{"lock=ncl", "lock=library"}[c.Rank()]})
		names := []string{"rank 0 names the ways update=processor,lock=ncl,memory=host, rank 1 update", "rank 1 names the ways update=processor,lock=library,memory=host, rank 0 update"}[c.Rank()]
		for err, want := range map[error]string{none: `rhinet_win: no way "mcs" for lock; there are library, ncl`, other: names} {
			if !errors.Is(err, mpi.ErrArg) || !strings.Contains(err.Error(), want) {
				return fmt.Errorf("%w; want %s", err, want)
			}
		}
		return nil
	}, mpitest.NIC("sync"))
}
