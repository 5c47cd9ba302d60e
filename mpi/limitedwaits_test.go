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

// limitedWaits are waits of rank 0 for what rank 1 does, which lets also ends: what rank 1 sends has tag 2. dies is
// the class of the error if rank 1 dies instead.
var limitedWaits = []struct {
	name string
	call func(c *mpi.Comm) error
	dies mpi.Class
}{
	{"Probe", func(c *mpi.Comm) error { return probed(c, 1) }, mpi.ErrProcFailed},
	{"Probe of any", func(c *mpi.Comm) error { return probed(c, mpi.AnySource) }, mpi.ErrProcFailedPending},
	{"Mprobe", func(c *mpi.Comm) error {
		m, _, err := mpi.Mprobe(c, 1, mpi.AnyTag)
		if err == nil {
			_, err = mpi.Mrecv(m, []int{0})
		}
		return err
	}, mpi.ErrProcFailed},
	{"WaitAny", func(c *mpi.Comm) error { return anyOf(receives(c, 1)...) }, mpi.ErrProcFailed},
	{"WaitAny of any", func(c *mpi.Comm) error { return anyOf(receives(c, mpi.AnySource)...) }, mpi.ErrProcFailedPending},
	{"WaitAny of one", func(c *mpi.Comm) error { return anyOf(mpi.Irecv(c, []int{0}, 1, 2)) }, mpi.ErrProcFailed},
	{"WaitAny with another context", func(c *mpi.Comm) error {
		far, cancel := context.WithTimeout(context.Background(), time.Hour)
		defer cancel()
		return anyOf(append(receives(c, 1), mpi.Irecv(c.WithContext(far), []int{0}, 1, 3))...)
	}, mpi.ErrProcFailed},
	{"WaitAny with a barrier", func(c *mpi.Comm) error {
		far, cancel := context.WithTimeout(context.Background(), time.Hour)
		r := mpi.Ibarrier(c.WithContext(far))
		err := anyOf(append(receives(c, 1), r)...)
		cancel()
		_, _ = r.Wait()
		return err
	}, mpi.ErrProcFailed},
	{"WaitSome", func(c *mpi.Comm) error {
		rs := receives(c, 1)
		_, _, err := mpi.WaitSome(rs...)
		giveUp(rs)
		return err
	}, mpi.ErrProcFailed},
}

// receives begins receives of which a message with tag 2 completes the second.
func receives(c *mpi.Comm, from int) []*mpi.Request {
	return []*mpi.Request{mpi.Irecv(c, []int{0}, from, 1), mpi.Irecv(c, []int{0}, from, 2)}
}

// probed probes for a message with tag 2, and receives it.
func probed(c *mpi.Comm, from int) error {
	st, err := mpi.Probe(c, from, 2)
	if err == nil {
		_, err = mpi.Recv(c, []int{0}, st.Source, st.Tag)
	}
	return err
}

// anyOf waits for one of some requests, and gives up the receives among them that are left.
func anyOf(rs ...*mpi.Request) error {
	_, _, err := mpi.WaitAny(rs...)
	giveUp(rs)
	return err
}

func giveUp(rs []*mpi.Request) {
	for _, r := range rs {
		if r.Cancel() == nil {
			_, _ = r.Wait()
		}
	}
}

// soon is after so long that others sleep, if nothing keeps them awake.
func soon(what func()) *time.Timer { return time.AfterFunc(5*time.Millisecond, what) }

// The end of its context ends a wait that sleeps, also in a job that goes on when ranks die, and so does what it waits
// for. With mailboxes nothing else would wake it.
func TestLimitedWaitsSleepAndWake(t *testing.T) {
	for _, wait := range limitedWaits {
		for _, keepGoing := range []bool{false, true} {
			run, about := everywhere, wait.name
			if keepGoing {
				run, about = func(t *testing.T, n int, fn func(*mpi.Comm) error) { runKeepGoing(t, n, fn) }, wait.name+", keep going"
			}
			t.Run(about, func(t *testing.T) {
				run(t, 2, func(w *mpi.Comm) error {
					c, err := w.Dup()
					if err != nil {
						return err
					}
					d, err := w.Dup()
					if err != nil {
						return err
					}
					if w.Rank() == 1 {
						if _, err := mpi.Recv(w, []int{0}, 0, 0); err != nil {
							return err
						}
						time.Sleep(5 * time.Millisecond)
						return errors.Join(mpi.Send(c, []int{1}, 0, 2), mpi.Barrier(w))
					}
					ctx, cancel := context.WithCancel(context.Background())
					defer cancel()
					if err := errors.Join(mpi.Send(w, []int{0}, 1, 0), wait.call(c.WithContext(ctx))); err != nil {
						return fmt.Errorf("it does not come: %w", err)
					}
					defer soon(cancel).Stop()
					return errors.Join(is(wait.call(d.WithContext(ctx)), mpi.ErrCancelled, ""), mpi.Barrier(w))
				})
			})
		}
	}
}

// The death of the rank that a wait needs ends it, and so does Revoke.
func TestDeathsEndLimitedWaits(t *testing.T) {
	for _, wait := range limitedWaits {
		t.Run(wait.name, func(t *testing.T) {
			runKeepGoing(t, 2, func(w *mpi.Comm) error {
				c, err := w.Dup()
				if err != nil {
					return err
				}
				if w.Rank() == 1 {
					for _, end := range []func() error{c.Revoke, func() error { mpitest.Die(); return nil }} {
						if _, err := mpi.Recv(w, []int{0}, 0, 0); err != nil {
							return err
						}
						time.Sleep(5 * time.Millisecond)
						if err := end(); err != nil {
							return err
						}
					}
				}
				return errors.Join(mpi.Send(w, []int{0}, 1, 0), is(wait.call(c), mpi.ErrRevoked, ""),
					mpi.Send(w, []int{0}, 1, 0), is(wait.call(w), wait.dies, ""))
			})
		})
	}
}

// lockWait has rank 1 hold a lock that rank 0 asks for, in a window of c, until end ends the wait.
func lockWait(c *mpi.Comm, kind mpi.LockType, end func(v *mpi.Win[int]) error) (v *mpi.Win[int], err error) {
	if v, err = mpi.WinAllocate[int](c, 1); err != nil {
		return nil, err
	}
	if c.Rank() == 1 {
		if err := v.Lock(mpi.LockExclusive, 1); err != nil {
			return nil, err
		}
	}
	if err := mpi.Barrier(c); err != nil {
		return nil, err
	}
	if c.Rank() == 1 {
		time.Sleep(5 * time.Millisecond)
		return v, end(v)
	}
	return v, v.Lock(kind, 1)
}

// A wait for a lock sleeps, too: it ends when the lock is given back, with its context, with the death of the holder,
// and when the window is revoked.
func TestLocksSleepAndWake(t *testing.T) {
	for name, kind := range map[string]mpi.LockType{"shared": mpi.LockShared, "exclusive": mpi.LockExclusive} {
		t.Run(name, func(t *testing.T) {
			runKeepGoing(t, 2, func(w *mpi.Comm) error {
				v, err := lockWait(w, kind, func(v *mpi.Win[int]) error { return v.Unlock(1) })
				if err == nil && w.Rank() == 0 {
					err = v.Unlock(1)
				}
				if err := errors.Join(err, v.Free()); err != nil {
					return err
				}
				c, err := w.Dup()
				if err != nil {
					return err
				}
				if _, err = lockWait(c, kind, func(v *mpi.Win[int]) error { return v.Revoke() }); w.Rank() == 0 {
					err = is(err, mpi.ErrRevoked, "")
				}
				if err != nil {
					return err
				}
				v, err = lockWait(w, kind, func(*mpi.Win[int]) error { mpitest.Die(); return nil })
				if errors.Is(err, mpi.ErrProcFailed) { // else the target is dead, or gave the lock back
					err = nil
				}
				return errors.Join(err, v.Free())
			})
		})
	}
}

// A rank whose context has ended while it waits for an exclusive lock in shared memory leaves no trace of that: others
// get the lock.
func TestALockThatWasGivenUp(t *testing.T) {
	for name, options := range map[string][]mpitest.Option{"": nil, "keep going": {mpitest.KeepGoing()}} {
		t.Run(name, func(t *testing.T) {
			mpitest.Run(t, 3, func(w *mpi.Comm) error {
				ctx, cancel := context.WithCancel(context.Background())
				defer cancel()
				c := w
				if w.Rank() == 0 {
					c = w.WithContext(ctx)
				}
				v, err := mpi.WinAllocate[int](c, 1)
				if err != nil {
					return err
				}
				if w.Rank() == 1 {
					err = v.Lock(mpi.LockShared, 1)
				}
				if err := errors.Join(err, mpi.Barrier(w)); err != nil {
					return err
				}
				if w.Rank() == 0 {
					defer soon(cancel).Stop()
					err = is(v.Lock(mpi.LockExclusive, 1), mpi.ErrCancelled, "")
				}
				if err := errors.Join(err, mpi.Barrier(w)); err != nil {
					return err
				}
				switch w.Rank() {
				case 1:
					err = v.Unlock(1)
				case 2:
					err = errors.Join(v.Lock(mpi.LockShared, 1), v.Unlock(1))
				}
				return errors.Join(err, mpi.Barrier(w))
			}, append(options, mpitest.NIC("martini"))...)
		})
	}
}
