package mpi_test

import (
	"context"
	"errors"
	"fmt"
	"testing"
	"time"

	"rhinet/mpi"
	"rhinet/mpi/mpitest"
)

// askers are calls that wait for a lock of the part of rank 0.
var askers = []struct {
	name string
	ask  func(v *mpi.Win[int]) error
}{
	{"shared", func(v *mpi.Win[int]) error { return v.Lock(mpi.LockShared, 0) }},
	{"exclusive", func(v *mpi.Win[int]) error { return v.Lock(mpi.LockExclusive, 0) }},
	{"all", func(v *mpi.Win[int]) error { return v.LockAll() }},
}

// onLimitedWindows runs fn on 3 ranks with each kind of window, which a context limits at rank 1, in jobs that go on
// when ranks die and in others.
func onLimitedWindows(t *testing.T, fn func(w *mpi.Comm, v *mpi.Win[int], cancel func()) error) {
	limited := func(how func(c *mpi.Comm) (*mpi.Win[int], error)) func(w *mpi.Comm) error {
		return func(w *mpi.Comm) error {
			c := w
			ctx, cancel := context.WithCancel(context.Background())
			defer cancel()
			if w.Rank() == 1 {
				c = w.WithContext(ctx)
			}
			v, err := how(c)
			if err != nil {
				return err
			}
			if err := fn(w, v, cancel); err != nil {
				return fmt.Errorf("rank %d: %w", w.Rank(), err)
			}
			return mpi.Barrier(w)
		}
	}
	for _, how := range kindsOfWindows {
		run := limited(how.make)
		t.Run(how.name, func(t *testing.T) { everywhere(t, 3, run) })
		t.Run(how.name+", keep going", func(t *testing.T) { runKeepGoing(t, 3, run) })
	}
	t.Run("locks of the network", func(t *testing.T) {
		mpitest.Run(t, 3, limited(func(c *mpi.Comm) (*mpi.Win[int], error) {
			v, err := mpi.WinAllocate[int](c, 1, mpi.Info{mpi.HintWindow: "lock=ncl"})
			if err != nil {
				return nil, err
			}
			info, err := v.Info()
			return v, errors.Join(err, equal("ways", info[mpi.HintWindow], "update=processor,lock=ncl,memory=host"))
		}), mpitest.NIC("sync"))
	})
}

// lockedBy0 has rank 0 lock its part before the others go on.
func lockedBy0(w *mpi.Comm, v *mpi.Win[int], how mpi.LockType) (err error) {
	if w.Rank() == 0 {
		err = v.Lock(how, 0)
	}
	return errors.Join(err, mpi.Barrier(w))
}

// A call whose context ends while it waits for a lock returns, and leaves no trace at the target, whatever carries the
// lock: others get it.
func TestWithdrawnRequestsGetNoLock(t *testing.T) {
	for _, asker := range askers {
		t.Run(asker.name, func(t *testing.T) {
			onLimitedWindows(t, func(w *mpi.Comm, v *mpi.Win[int], cancel func()) (err error) {
				if err := lockedBy0(w, v, mpi.LockExclusive); err != nil {
					return err
				}
				if w.Rank() == 1 {
					defer soon(cancel).Stop()
					err = is(asker.ask(v), mpi.ErrCancelled, "")
				}
				if err := errors.Join(err, mpi.Barrier(w)); err != nil {
					return err
				}
				switch w.Rank() {
				case 0:
					err = errors.Join(v.Unlock(0), v.Lock(mpi.LockExclusive, 0), v.Unlock(0))
				case 2:
					err = errors.Join(v.LockAll(), v.UnlockAll(), v.Lock(mpi.LockExclusive, 0), v.Unlock(0))
				}
				return err
			})
		})
	}
}

// Ranks that waited only behind a request that is withdrawn get the lock then, and not when its holder gives it back.
func TestWithdrawnRequestsLetOthersPass(t *testing.T) {
	onLimitedWindows(t, func(w *mpi.Comm, v *mpi.Win[int], cancel func()) (err error) {
		if err := lockedBy0(w, v, mpi.LockShared); err != nil {
			return err
		}
		switch w.Rank() {
		case 1:
			defer soon(cancel).Stop()
			err = is(v.Lock(mpi.LockExclusive, 0), mpi.ErrCancelled, "")
		case 2:
			time.Sleep(2 * time.Millisecond) // rank 1 asks first, or nothing is waited for
			err = errors.Join(v.Lock(mpi.LockShared, 0), v.Unlock(0))
		}
		if err := errors.Join(err, mpi.Barrier(w)); err != nil || w.Rank() != 0 {
			return err
		}
		return v.Unlock(0)
	})
}

// A lock that is given while its request is withdrawn is had, or given back.
func TestLocksGivenWhileWithdrawn(t *testing.T) {
	for _, asker := range askers {
		t.Run(asker.name, func(t *testing.T) {
			onLimitedWindows(t, func(w *mpi.Comm, v *mpi.Win[int], cancel func()) (err error) {
				if err := lockedBy0(w, v, mpi.LockExclusive); err != nil {
					return err
				}
				switch w.Rank() {
				case 0:
					time.Sleep(5 * time.Millisecond)
					err = v.Unlock(0)
				case 1:
					defer soon(cancel).Stop()
					if err = asker.ask(v); err != nil {
						err = is(err, mpi.ErrCancelled, "")
					} else if cancel(); asker.name == "all" {
						err = is(v.UnlockAll(), mpi.ErrCancelled, "")
					} else {
						err = is(v.Unlock(0), mpi.ErrCancelled, "")
					}
				case 2:
					err = errors.Join(v.Lock(mpi.LockExclusive, 0), v.Unlock(0))
				}
				return err
			})
		})
	}
}

// A request that is withdrawn from a rank that has died ends all the same.
func TestRequestsWithdrawnFromTheDead(t *testing.T) {
	for _, how := range kindsOfWindows {
		t.Run(how.name, func(t *testing.T) {
			runKeepGoing(t, 3, func(w *mpi.Comm) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				c := w
				if w.Rank() == 1 {
					c = w.WithContext(ctx)
				}
				v, err := how.make(c)
				if err != nil {
					return err
				}
				if w.Rank() == 0 {
					err = v.Lock(mpi.LockExclusive, 2)
				}
				if err := errors.Join(err, mpi.Barrier(w)); err != nil {
					return err
				}
				switch w.Rank() {
				case 1:
					defer soon(cancel).Stop()
					if err := v.Lock(mpi.LockShared, 2); !errors.Is(err, mpi.ErrProcFailed) {
						return is(err, mpi.ErrCancelled, "")
					}
				case 2:
					time.Sleep(5 * time.Millisecond)
					mpitest.Die()
				}
				return nil
			})
		})
	}
}
