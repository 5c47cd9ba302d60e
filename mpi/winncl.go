package mpi

import (
	"errors"

	"rhinet/llc/ir"
)

// A queued is a reach with locks in the network: a Non-Collision Lock at each rank,
// which an exclusive holder keeps. A shared holder adds itself to the lock's counter
// while it has the lock, and releases the lock at once; the next exclusive holder has
// the lock, and waits until the counter is 0. So no rank overtakes another, and nothing
// is sent while ranks wait.
type queued struct {
	reach
	c      *Comm
	locker ir.Locker
	homes  []int    // number of the lock of each rank
	turns  []uint64 // the turn in which this rank has each lock
}

// noLock is the number of a rank without a lock.
const noLock = -1

// queue has the network keep the locks of the window, if it can for all ranks, and
// reports whether it does. It does not in jobs that go on when ranks die: the network
// cannot take a lock from a dead rank.
func (w *window) queue() (bool, error) {
	if w.c.failures != nil || !w.c.onHost(w.c.w) {
		return false, nil
	}
	q := &queued{reach: w.reach, c: w.c, locker: w.c.t.Locker(), homes: make([]int, w.c.size), turns: make([]uint64, w.c.size)}
	mine := []int{noLock}
	if q.locker != nil {
		w.c.t.Perform(func() {
			if n, err := q.locker.ReserveLock(); err == nil {
				mine[0] = n
			}
		})
	}
	if err := Allgather(w.c, mine, q.homes); err != nil {
		return false, err
	}
	for _, n := range q.homes {
		if n == noLock {
			q.give()
			return false, nil
		}
	}
	w.reach = q
	return true, nil
}

// give frees the lock of this rank.
func (q *queued) give() {
	if n := q.homes[q.c.rank]; n != noLock {
		q.c.t.Perform(func() { q.locker.FreeLock(n) })
	}
}

// await begins an operation on the lock of a rank and waits for it. An error ends the
// wait, and so does the end of the context of the window. who stores who has the lock.
func (q *queued) await(call string, target int, begin func() error, over func() (bool, error), who func(*ir.Holder)) (err error) {
	met, s := false, atPeer(call, target)
	held := ir.Collective{Holder: &ir.Holder{Peer: ir.NoPeer}}
	if ctx := q.c.ctx; ctx != nil {
		defer q.c.wakeAtEnd(ctx)()
	}
	q.c.t.AwaitCollective(q.c.locking(call, target), &held, func() { err = begin() }, func() bool {
		if err == nil && !met {
			if met, err = over(); err == nil && !met {
				err = q.c.check(s)
				who(held.Holder)
			}
		}
		return met || err != nil
	})
	if err == nil && !met {
		if err = failure(q.c.t); err == nil {
			err = errClosed
		}
		return q.c.because(s, ErrOther, errors.Join(errHolder, err), "")
	}
	return err
}

func (q *queued) lock(call string, target int, exclusive bool) error {
	home, number := q.c.global(target), q.homes[target]
	var turn uint64
	asked := false
	err := q.await(call, target,
		func() (err error) {
			turn, err = q.locker.Acquire(home, number)
			asked = err == nil
			return err
		},
		func() (bool, error) { return q.locker.Granted(home, number, turn) },
		func(h *ir.Holder) { h.Peer = q.locker.Holder(home, number) },
	)
	if err == nil && !exclusive {
		return q.c.command(func() error {
			return errors.Join(q.locker.Count(home, number, true), q.locker.ReleaseLock(home, number, turn))
		})
	}
	if err == nil {
		sharers := uint64(0)
		err = q.await(call, target, func() error { return nil }, func() (bool, error) {
			n, err := q.locker.Counter(home, number)
			sharers = n
			return n == 0, err
		}, func(h *ir.Holder) { h.Sharers = int(sharers) })
	}
	if err != nil && asked {
		_ = q.c.command(func() error { return q.locker.Withdraw(home, number, turn) }) // the first error says more
	}
	q.turns[target] = turn
	return err
}

func (q *queued) unlock(target int, exclusive bool) error {
	home, number := q.c.global(target), q.homes[target]
	if exclusive {
		return q.c.command(func() error { return q.locker.ReleaseLock(home, number, q.turns[target]) })
	}
	return q.c.command(func() error { return q.locker.Count(home, number, false) })
}

func (q *queued) close() error {
	q.give()
	return q.reach.close()
}
