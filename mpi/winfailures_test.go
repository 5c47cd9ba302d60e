package mpi_test

import (
	"cmp"
	"errors"
	"fmt"
	"runtime"
	"testing"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// windows are the kinds of windows of two elements.
var windows = []struct {
	name string
	make func(c *mpi.Comm) (*mpi.Win[int], error)
}{
	{"allocated", func(c *mpi.Comm) (*mpi.Win[int], error) { return mpi.WinAllocate[int](c, 2) }},
	{"created", func(c *mpi.Comm) (*mpi.Win[int], error) { return mpi.WinCreate(c, make([]int, 2)) }},
}

// keepGoingWindows runs fn on 3 ranks with a window; rank 2 dies in fn.
func keepGoingWindows(t *testing.T, fn func(w *mpi.Comm, v *mpi.Win[int]) error) {
	for _, how := range windows {
		t.Run(how.name, func(t *testing.T) {
			runKeepGoing(t, 3, func(w *mpi.Comm) error {
				v, err := how.make(w)
				if err != nil {
					return err
				}
				if err := fn(w, v); err != nil {
					return err
				}
				return afterTheDead(w, v, how.make)
			})
		})
	}
}

// afterTheDead ends a window with a dead member, and uses another one.
func afterTheDead(w *mpi.Comm, v *mpi.Win[int], again func(c *mpi.Comm) (*mpi.Win[int], error)) error {
	if err := v.Free(); err != nil {
		return err
	}
	c, err := w.Shrink()
	if err != nil {
		return err
	}
	u, err := again(c)
	if err != nil {
		return err
	}
	me := c.Rank()
	if err := errors.Join(u.Fence(), u.Put([]int{me + 5}, 1-me, 1), u.Fence(mpi.NoSucceed)); err != nil {
		return err
	}
	return errors.Join(equal("put after the death", u.Local()[1], 1-me+5), u.Free(), c.Free())
}

// failRank2 makes rank 2 die, after it has come there and the others know that.
func failRank2(w *mpi.Comm) error {
	buf := make([]int, 1)
	if w.Rank() != 2 {
		_, err := mpi.Recv(w, buf, 2, 1)
		return errors.Join(err, mpi.Send(w, buf, 2, 2))
	}
	err := errors.Join(mpi.Send(w, buf, 0, 1), mpi.Send(w, buf, 1, 1), second(mpi.Recv(w, buf, 0, 2)), second(mpi.Recv(w, buf, 1, 2)))
	if err == nil {
		mpitest.Die()
	}
	return err
}

// eventually makes a call until it fails, and is an error unless a death is the reason.
func eventually(call func() error) error {
	for {
		if err := call(); err != nil {
			return is(err, mpi.ErrProcFailed, "")
		}
		runtime.Gosched()
	}
}

// User-Level Failure Mitigation: accesses to a dead rank fail with MPI_ERR_PROC_FAILED,
// and so do calls that need all ranks; accesses to others work, and epochs end.
func TestAccessesToTheDeadFail(t *testing.T) {
	keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
		if err := errors.Join(v.LockAll(), failRank2(w)); err != nil {
			return err
		}
		other := 1 - w.Rank()
		// The network may know before MPI does.
		if err := errors.Join(eventually(func() error { return cmp.Or(v.Put(one, 2, w.Rank()), v.Flush(2)) }), eventually(func() error { return v.Flush(2) })); err != nil {
			return err
		}
		_, fetch := v.FetchAndOp(1, 2, 0, mpi.Sum)
		_, swap := v.CompareAndSwap(0, 1, 2, 0)
		for call, err := range map[string]error{
			"Get": v.Get(make([]int, 1), 2, 0), "Accumulate": v.Accumulate(one, 2, 0, mpi.Sum), "FetchAndOp": fetch, "CompareAndSwap": swap,
			"Rput": waited(v.Rput(one, 2, 0)), "FlushAll": v.FlushAll(),
		} {
			if err := is(err, mpi.ErrProcFailed, ""); err != nil {
				return fmt.Errorf("%s: %w", call, err)
			}
		}
		got := make([]int, 1)
		if err := errors.Join(v.Put([]int{w.Rank() + 7}, other, 0), v.Flush(other), v.Accumulate([]int{1}, other, 0, mpi.Sum), v.Flush(other),
			v.Get(got, other, 0), equal("got", got[0], w.Rank()+8)); err != nil {
			return err
		}
		if err := errors.Join(is(v.UnlockAll(), mpi.ErrProcFailed, ""), is(v.UnlockAll(), mpi.ErrRMASync, ""),
			is(v.LockAll(), mpi.ErrProcFailed, ""), is(v.Lock(mpi.LockShared, 2), mpi.ErrProcFailed, ""), is(v.Fence(), mpi.ErrProcFailed, "")); err != nil {
			return err
		}
		return errors.Join(v.Lock(mpi.LockShared, other), v.Put(one, other, 1), v.Unlock(other))
	})
}

// User-Level Failure Mitigation: no rank waits for a lock of a dead rank.
func TestLocksOfTheDead(t *testing.T) {
	for name, kind := range map[string]mpi.LockType{"exclusive": mpi.LockExclusive, "shared": mpi.LockShared} {
		t.Run(name, func(t *testing.T) {
			keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
				if w.Rank() == 2 {
					if err := v.Lock(kind, 0); err != nil {
						return err
					}
				}
				if err := failRank2(w); err != nil {
					return err
				}
				err := v.Lock(mpi.LockExclusive, 0)
				if err == nil { // the target has noticed the death
					return errors.Join(v.Put(one, 0, 0), v.Unlock(0))
				}
				if err := is(err, mpi.ErrProcFailed, ""); err != nil {
					return err
				}
				if kind == mpi.LockShared { // it is unknown who holds it
					return errors.Join(v.Lock(mpi.LockShared, 0), v.Unlock(0))
				}
				return errors.Join(v.Lock(mpi.LockExclusive, 0), v.Put(one, 0, 0), v.Unlock(0))
			})
		})
	}
}

// groupsIn returns a function that returns the group of some ranks of c.
func groupsIn(c *mpi.Comm) func(ranks ...int) *mpi.Group {
	return func(ranks ...int) *mpi.Group { g, _ := groupOf(c).Incl(ranks...); return g }
}

// User-Level Failure Mitigation: epochs of Post and Start with a dead rank fail and
// end, and those of the others work.
func TestExposureToTheDead(t *testing.T) {
	keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
		if err := failRank2(w); err != nil {
			return err
		}
		group := groupsIn(w)
		if w.Rank() == 0 {
			_ = v.Post(group(1, 2)) // may or may not find that rank 2 is dead
			const died = "rank 2 has died; Free the window, and make another one on what Shrink returns"
			if err := errors.Join(is(v.Wait(), mpi.ErrProcFailed, "mpi: Wait on world.win1 to 2: "+died), is(v.Wait(), mpi.ErrRMASync, ""), equal("put", v.Local()[0], 9)); err != nil {
				return err
			}
			return errors.Join(v.Post(group(1)), v.Wait(), equal("put again", v.Local()[0], 10))
		}
		if err := errors.Join(v.Start(group(0)), v.Put([]int{9}, 0, 0), v.Complete(), is(v.Start(group(2)), mpi.ErrProcFailed, "")); err != nil {
			return err
		}
		return errors.Join(v.Start(group(0)), v.Put([]int{10}, 0, 0), v.Complete())
	})
}

// User-Level Failure Mitigation: a window with an epoch of a Post that failed since a rank has died can be freed, also
// while another rank accesses it.
func TestAFailedPostLeavesTheWindowToFree(t *testing.T) {
	for _, then := range []func(v *mpi.Win[int]) error{
		func(v *mpi.Win[int]) error { return nil },
		func(v *mpi.Win[int]) error { return is(v.Wait(), mpi.ErrProcFailed, "") },
	} {
		keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
			group := groupsIn(w)
			if err := failRank2(w); err != nil {
				return err
			}
			if err := eventually(func() error { return mpi.Send(w, []int{0}, 2, 3) }); err != nil {
				return err
			}
			if w.Rank() == 1 {
				return errors.Join(v.Start(group(0)), v.Put([]int{9}, 0, 0), v.Complete())
			}
			err := is(v.Post(group(1, 2)), mpi.ErrProcFailed, "")
			return errors.Join(err, is(v.Post(group(1)), mpi.ErrRMASync, ""), then(v))
		})
	}
}

// User-Level Failure Mitigation: a Start that fails since a rank has died leaves the Posts
// of the others in force.
func TestPostsOutliveAStartWithTheDead(t *testing.T) {
	keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
		if err := failRank2(w); err != nil {
			return err
		}
		group := groupsIn(w)
		if w.Rank() == 0 {
			return errors.Join(v.Post(group(1)), v.Wait(), equal("put", v.Local()[0], 9), v.Post(group(1)), v.Wait(), equal("put again", v.Local()[0], 10))
		}
		for range 2 { // the second one does not receive the Post again
			if err := is(v.Start(group(0, 2)), mpi.ErrProcFailed, "mpi: Start on world.win1 to 2: rank 2 has died; Free the window, and make another one on what Shrink returns"); err != nil {
				return err
			}
		}
		return errors.Join(v.Start(group(0)), v.Put([]int{9}, 0, 0), v.Complete(), v.Start(group(0)), v.Put([]int{10}, 0, 0), v.Complete())
	})
}

// User-Level Failure Mitigation: a Fence that fails since a rank has died ends its epoch,
// since no other call could.
func TestAFenceWithTheDeadEndsItsEpoch(t *testing.T) {
	keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
		if err := errors.Join(v.Fence(), v.Put(one, w.Rank(), 0), failRank2(w)); err != nil {
			return err
		}
		other := 1 - w.Rank()
		return errors.Join(eventually(func() error { return v.Fence(mpi.NoSucceed) }), v.Lock(mpi.LockShared, other), v.Put(one, other, 1), v.Unlock(other))
	})
}

// An access to a region that a dead rank has served ends with an error, and the regions
// of the others, and the window, go on.
func TestRegionsOfTheDead(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		v, err := mpi.WinDynamic[int](w)
		if err != nil {
			return err
		}
		_, where, err := attachMany(w, v)
		if err != nil {
			return err
		}
		if err := errors.Join(v.LockAll(), failRank2(w)); err != nil {
			return err
		}
		last := func(rank int) int { return where[(rank+1)*manyRegions-1] }
		err = errors.Join(eventually(func() error { return cmp.Or(v.Put(one, 2, last(2)+w.Rank()), v.Flush(2)) }), eventually(func() error { return v.Flush(2) }),
			is(v.Get(make([]int, 1), 2, where[2*manyRegions]), mpi.ErrProcFailed, ""))
		for r := range 2 {
			err = errors.Join(err, v.Accumulate(one, r, last(r), mpi.Sum), v.Accumulate(one, r, where[r*manyRegions], mpi.Sum))
		}
		return errors.Join(err, is(v.UnlockAll(), mpi.ErrProcFailed, ""), v.Free())
	})
}

// User-Level Failure Mitigation: a rank may die at any point of epochs of Post and Start, and the
// other rank has the end of them, or an error.
func TestARankThatDiesInEpochsOfStart(t *testing.T) {
	for n := 1; n <= 40; n++ {
		err := mpitest.World(2, func(w *mpi.Comm) error {
			v, err := mpi.WinCreate(w, make([]int, 1))
			if err != nil {
				return is(err, mpi.ErrProcFailed, "")
			}
			other := groupsIn(w)(1 - w.Rank())
			err = v.Post(other)
			if started := v.Start(other); started == nil {
				err = errors.Join(err, v.Put(one, 1-w.Rank(), 0), v.Complete())
			} else {
				err = errors.Join(err, started)
			}
			if err = errors.Join(err, v.Wait()); err != nil {
				err = is(err, mpi.ErrProcFailed, "")
			}
			return errors.Join(err, v.Free())
		}, mpitest.KeepGoing(), mpitest.Kill(1, n))
		if err != nil {
			t.Fatalf("death at call %d: %v", n, err)
		}
	}
}
