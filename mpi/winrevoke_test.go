package mpi_test

import (
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// kindsOfWindows are the windows that other ranks revoke. Over mailboxes all are served by messages.
var kindsOfWindows = append([]struct {
	name string
	make func(c *mpi.Comm) (*mpi.Win[int], error)
}{
	{"dynamic", func(c *mpi.Comm) (*mpi.Win[int], error) { return mpi.WinDynamic[int](c) }},
}, windows...)

// untilRevoked waits until this rank knows that v has been revoked.
func untilRevoked(v *mpi.Win[int]) {
	for !v.IsRevoked() {
		time.Sleep(100 * time.Microsecond)
	}
}

// revoked is an error unless err is that of a call on a revoked window.
func revoked(err error) error {
	return tells(err, mpi.ErrRevoked, "the window, or its communicator, has been revoked; make another window on what Shrink returns")
}

// allRevoked is revoked for calls with names.
func allRevoked(calls map[string]error) error {
	var all []error
	for call, err := range calls {
		if err := revoked(err); err != nil {
			all = append(all, fmt.Errorf("%s: %w", call, err))
		}
	}
	return errors.Join(all...)
}

// User-Level Failure Mitigation: no call waits for a rank that has turned to recovery. Rank 0
// does, when the others wait for it; all of them then continue on another window.
func TestRevokeEndsWaitsOnWindows(t *testing.T) {
	for _, tc := range []struct {
		name  string
		begin func(c *mpi.Comm, v *mpi.Win[int], zero *mpi.Group) error // before the ranks meet
		wait  func(v *mpi.Win[int], zero *mpi.Group) error              // at ranks 1 and 2
		end   func(v *mpi.Win[int]) error                               // at rank 0, afterwards; nil: nothing to end
	}{
		{"Fence", none, func(v *mpi.Win[int], _ *mpi.Group) error { return v.Fence() }, nil},
		{"Fence after Fence", func(_ *mpi.Comm, v *mpi.Win[int], _ *mpi.Group) error { return v.Fence() },
			func(v *mpi.Win[int], _ *mpi.Group) error { return v.Fence() }, nil},
		{"Start", none, func(v *mpi.Win[int], zero *mpi.Group) error { return v.Start(zero) }, nil},
		{"Wait", none, func(v *mpi.Win[int], zero *mpi.Group) error { return errors.Join(v.Post(zero), v.Wait()) }, nil},
		{"Test", none, func(v *mpi.Win[int], zero *mpi.Group) error {
			err := v.Post(zero)
			for done := false; !done && err == nil; time.Sleep(time.Microsecond) {
				done, err = v.Test()
			}
			return err
		}, nil},
		{"Lock", heldBy0, func(v *mpi.Win[int], _ *mpi.Group) error { return v.Lock(mpi.LockExclusive, 0) }, func(v *mpi.Win[int]) error { return v.Unlock(0) }},
		{"shared Lock", heldBy0, func(v *mpi.Win[int], _ *mpi.Group) error { return v.Lock(mpi.LockShared, 0) }, func(v *mpi.Win[int]) error { return v.Unlock(0) }},
		{"LockAll", heldBy0, func(v *mpi.Win[int], _ *mpi.Group) error { return v.LockAll() }, func(v *mpi.Win[int]) error { return v.Unlock(0) }},
		{"Lock of a shared lock", sharedBy0, func(v *mpi.Win[int], _ *mpi.Group) error { return v.Lock(mpi.LockExclusive, 1) }, func(v *mpi.Win[int]) error { return v.Unlock(1) }},
	} {
		t.Run(tc.name, func(t *testing.T) {
			for _, how := range kindsOfWindows {
				t.Run(how.name, func(t *testing.T) {
					runKeepGoing(t, 3, func(w *mpi.Comm) error {
						c, err := w.Dup()
						if err != nil {
							return err
						}
						v, err := how.make(c)
						if err != nil {
							return err
						}
						zero := groupsIn(c)(0)
						if err := errors.Join(tc.begin(c, v, zero), mpi.Barrier(w)); err != nil {
							return err
						}
						if c.Rank() > 0 {
							if err := revoked(tc.wait(v, zero)); err != nil {
								return err
							}
						} else {
							time.Sleep(time.Millisecond) // for the others to wait
							if err := c.Revoke(); err != nil {
								return err
							}
						}
						untilRevoked(v)
						if err := mpi.Barrier(w); err != nil {
							return err
						}
						if tc.end != nil && c.Rank() == 0 {
							if err := revoked(tc.end(v)); err != nil {
								return err
							}
						}
						if err := errors.Join(v.Free(), c.Free()); err != nil {
							return err
						}
						return onAnother(w, how.make)
					})
				})
			}
		})
	}
}

func none(*mpi.Comm, *mpi.Win[int], *mpi.Group) error { return nil }

func heldBy0(c *mpi.Comm, v *mpi.Win[int], _ *mpi.Group) error {
	if c.Rank() > 0 {
		return nil
	}
	return v.Lock(mpi.LockExclusive, 0)
}

func sharedBy0(c *mpi.Comm, v *mpi.Win[int], _ *mpi.Group) error {
	if c.Rank() > 0 {
		return nil
	}
	return v.Lock(mpi.LockShared, 1)
}

// onAnother uses another window, after one was revoked.
func onAnother(w *mpi.Comm, again func(c *mpi.Comm) (*mpi.Win[int], error)) error {
	c, err := w.Shrink()
	if err != nil {
		return err
	}
	v, err := again(c)
	if err != nil {
		return err
	}
	next := (c.Rank() + 1) % c.Size()
	err = errors.Join(v.Lock(mpi.LockExclusive, next), v.Unlock(next), v.Fence(), v.Fence(mpi.NoSucceed))
	if v.Flavor() != mpi.Dynamic {
		err = errors.Join(err, v.Fence(), v.Put([]int{c.Rank()}, next, 1), v.Fence(mpi.NoSucceed), equal("put", v.Local()[1], (c.Rank()+c.Size()-1)%c.Size()))
	}
	return errors.Join(err, v.Free(), c.Free())
}

// openEpoch begins an epoch of a kind; ends are the calls that end it.
var openEpochs = []struct {
	name string
	open func(v *mpi.Win[int], self *mpi.Group) error
	ends []func(v *mpi.Win[int]) error
}{
	{"Fence", func(v *mpi.Win[int], _ *mpi.Group) error { return v.Fence() }, []func(v *mpi.Win[int]) error{func(v *mpi.Win[int]) error { return v.Fence() }}},
	{"Post and Start", func(v *mpi.Win[int], self *mpi.Group) error { return errors.Join(v.Post(self), v.Start(self)) },
		[]func(v *mpi.Win[int]) error{(*mpi.Win[int]).Complete, (*mpi.Win[int]).Wait}},
	{"Lock", func(v *mpi.Win[int], _ *mpi.Group) error {
		return errors.Join(v.Lock(mpi.LockShared, 0), v.Lock(mpi.LockShared, mpi.ProcNull))
	},
		[]func(v *mpi.Win[int]) error{func(v *mpi.Win[int]) error { return v.Unlock(0) }, func(v *mpi.Win[int]) error { return v.Unlock(mpi.ProcNull) }}},
	{"LockAll", func(v *mpi.Win[int], _ *mpi.Group) error { return v.LockAll() }, []func(v *mpi.Win[int]) error{(*mpi.Win[int]).UnlockAll}},
}

// User-Level Failure Mitigation: on a revoked window all calls fail but local ones and Free.
// Those that end an epoch do end it. The communicator is not revoked with its window.
func TestCallsOnARevokedWindow(t *testing.T) {
	for _, epoch := range openEpochs {
		t.Run(epoch.name, func(t *testing.T) {
			for _, how := range windows {
				runKeepGoing(t, 2, func(w *mpi.Comm) error {
					v, err := how.make(w)
					if err != nil {
						return err
					}
					self := groupsIn(w)(w.Rank())
					if err := errors.Join(epoch.open(v, self), mpi.Barrier(w)); err != nil {
						return err
					}
					if w.Rank() == 1 {
						if err := errors.Join(v.Revoke(), v.Revoke()); err != nil {
							return err
						}
					}
					untilRevoked(v)
					if err := errors.Join(callsOnRevoked(v, w.Rank()), localCallsOnRevoked(v, w)); err != nil {
						return err
					}
					for i, end := range epoch.ends {
						if err := revoked(end(v)); err != nil {
							return fmt.Errorf("end %d: %w", i, err)
						}
					}
					if err := errors.Join(revoked(v.Lock(mpi.LockShared, 0)), revoked(v.LockAll()), revoked(v.Post(self)), revoked(v.Start(self)), is(v.Complete(), mpi.ErrRMASync, ""), v.Free(), mpi.Barrier(w)); err != nil {
						return err
					}
					return onAnother(w, how.make)
				})
			}
		})
	}
}

// callsOnRevoked makes the calls that fail in any epoch.
func callsOnRevoked(v *mpi.Win[int], to int) error {
	_, fetch := v.FetchAndOp(1, to, 0, mpi.Sum)
	_, swap := v.CompareAndSwap(0, 1, to, 0)
	two := mpi.Contiguous(2)
	return allRevoked(map[string]error{
		"Put": v.Put(one, to, 0), "Get": v.Get(one, to, 0), "Accumulate": v.Accumulate(one, to, 0, mpi.Sum), "GetAccumulate": v.GetAccumulate(one, []int{0}, to, 0, mpi.Sum),
		"FetchAndOp": fetch, "CompareAndSwap": swap, "Rput": waited(v.Rput(one, to, 0)), "Rget": waited(v.Rget(one, to, 0)),
		"Raccumulate": waited(v.Raccumulate(one, to, 0, mpi.Sum)), "RgetAccumulate": waited(v.RgetAccumulate(one, []int{0}, to, 0, mpi.Sum)),
		"PutLayout": v.PutLayout([]int{1, 2}, to, 0, two), "AccumulateLayout": v.AccumulateLayout([]int{1, 2}, to, 0, two, mpi.Sum),
		"Flush": v.Flush(to), "FlushLocal": v.FlushLocal(to), "FlushAll": v.FlushAll(), "FlushLocalAll": v.FlushLocalAll(),
	})
}

// localCallsOnRevoked makes the calls that still work.
func localCallsOnRevoked(v *mpi.Win[int], w *mpi.Comm) error {
	_, info := v.Info()
	g, group := v.Group()
	_, bytes := mpi.WinAs[byte](v)
	_, shared := v.Shared(w.Rank())
	dead, failed := v.GetFailed()
	if err := errors.Join(info, group, bytes, shared, failed); err != nil {
		return err
	}
	return errors.Join(v.Sync(), v.SetName("w"), v.SetInfo(nil), equal("group", g.Size(), w.Size()), equal("dead", dead.Size(), 0), equal("length", v.Len(0), 2), equal("part", len(v.Local()), 2))
}

// A window is revoked by its own Revoke, or that of the communicator that it was made from,
// but not by that of another one.
func TestWhatRevokesAWindow(t *testing.T) {
	runKeepGoing(t, 3, func(w *mpi.Comm) error {
		c, err1 := w.Dup()
		d, err2 := c.Dup()
		if err := errors.Join(err1, err2); err != nil {
			return err
		}
		var v [4]*mpi.Win[int]
		for i, of := range []*mpi.Comm{c, c, d, w} {
			var err error
			if v[i], err = mpi.WinAllocate[int](of, 1); err != nil {
				return err
			}
		}
		if w.Rank() == 0 {
			if err := v[0].Revoke(); err != nil {
				return err
			}
		}
		untilRevoked(v[0])
		if err := errors.Join(mpi.Barrier(c), v[1].Fence(), equal("revoked", c.IsRevoked() || v[1].IsRevoked(), false), mpi.Barrier(w)); err != nil {
			return err
		}
		if w.Rank() == 1 {
			if err := c.Revoke(); err != nil {
				return err
			}
		}
		untilRevoked(v[1])
		_, late := mpi.WinAllocate[int](c, 1)
		err := errors.Join(is(late, mpi.ErrRevoked, ""), v[2].Fence(), v[3].Fence(), equal("revoked", v[2].IsRevoked() || v[3].IsRevoked(), false))
		for i := range v {
			err = errors.Join(err, v[i].Free())
		}
		return errors.Join(err, d.Free(), c.Free())
	})
}

// A lock that waits for ranks of which one dies, and another revokes the window, ends; the
// ranks that live free the window.
func TestRevokeWithTheDead(t *testing.T) {
	keepGoingWindows(t, func(w *mpi.Comm, v *mpi.Win[int]) error {
		if w.Rank() == 0 {
			if err := v.Lock(mpi.LockExclusive, 1); err != nil {
				return err
			}
		}
		if err := errors.Join(mpi.Barrier(w), failRank2(w)); err != nil {
			return err
		}
		if w.Rank() == 1 {
			return errors.Join(revoked(v.Lock(mpi.LockExclusive, 1)), mpi.Send(w, one, 0, 0))
		}
		if err := errors.Join(untilFailed(w, 1), v.Revoke()); err != nil {
			return err
		}
		_, err1 := mpi.Recv(w, make([]int, 1), 1, 0)
		g, err2 := v.GetFailed()
		return errors.Join(err1, err2, equal("dead", g.Size(), 1), revoked(v.Put(one, 2, 0)), revoked(v.Flush(2)), revoked(v.Unlock(1)))
	})
}

// Without --keep-going a window is not revoked.
func TestRevokeOfAWindowMustBeAskedFor(t *testing.T) {
	mpitest.Run(t, 1, func(w *mpi.Comm) error {
		v, err := mpi.WinAllocate[int](w, 1)
		if err != nil {
			return err
		}
		_, failed := v.GetFailed()
		var none *mpi.Win[int]
		_, noneFailed := none.GetFailed()
		return errors.Join(is(v.Revoke(), mpi.ErrUnsupported, "mpi: WinRevoke on world.win1: in this job the death of a rank ends all; mpirun --keep-going starts one that goes on"),
			is(failed, mpi.ErrUnsupported, ""), is(none.Revoke(), mpi.ErrWin, ""), is(noneFailed, mpi.ErrWin, ""), equal("revoked", v.IsRevoked() || none.IsRevoked(), false), v.Free())
	})
}

// Ranks die at each of their first calls of the transport, while windows are made, used and
// freed: no rank that has got a window waits for one that has not.
func TestWindowsWhenRanksDieAtEachStep(t *testing.T) {
	steps := 40
	if testing.Short() {
		steps = 10
	}
	for _, how := range kindsOfWindows {
		for _, tr := range transports {
			t.Run(how.name+"/"+tr.name, func(t *testing.T) {
				for n := 1; n <= steps; n++ {
					err := mpitest.World(3, func(w *mpi.Comm) error {
						c, err := w.Dup()
						var v *mpi.Win[int]
						if err == nil {
							v, err = how.make(c)
						}
						if err == nil {
							_ = v.Fence() // fails if a rank has died, on some ranks
							err = v.Free()
						}
						if err != nil && !errors.Is(err, mpi.ErrProcFailed) {
							return err
						}
						_, err = w.Shrink()
						return err
					}, tr.option, mpitest.KeepGoing(), mpitest.Kill(n%3, n))
					if err != nil {
						t.Fatalf("death at call %d: %v", n, err)
					}
				}
			})
		}
	}
}
