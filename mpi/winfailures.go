package mpi

import (
	"cmp"
	"context"
	"errors"
	"slices"
	"sync/atomic"
	"time"

	"rhinet/llc/ir"
)

// Windows in jobs that go on when ranks die. A call that names a dead rank, or needs
// all ranks, fails with ErrProcFailed; live ranks can still be accessed. The memory of
// a dead rank is not accessed any more, wherever it is. A lock held by a dead rank is
// released where its holder is known, and the call that finds it returns an error.

// gone returns the error for a rank of the window that has died, or nil.
func (w *window) gone(s site, rank int) error {
	if w.c.failures == nil || !w.c.failures.has(rank) {
		return nil
	}
	return w.died(s, rank)
}

// died is the error for a rank of the window that has died.
func (w *window) died(s site, rank int) error {
	return w.c.errorAt(s, ErrProcFailed, "%s has died; Free the window, and make another one on what Shrink returns", w.c.who(rank))
}

// anyGone is gone for any rank.
func (w *window) anyGone(s site) error {
	if w.c.failures == nil {
		return nil
	}
	for _, r := range w.c.failures.dead() {
		return w.gone(s, r)
	}
	return nil
}

// has reports whether a rank is known to be dead.
func (f *commFailures) has(rank int) bool {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Contains(f.failed, rank)
}

// unreached is the error of an access that the network interface has not made, and of a wait
// that has ended without a lock, if it is the window, or the rank, that has ended. A rank that
// cannot be reached has usually died, and that will soon be known.
func (w *window) unreached(s site) error {
	if w.c.failures == nil || uint(s.peer) >= uint(w.c.size) {
		return nil
	}
	const looks = 1000
	for range looks {
		if err := cmp.Or(w.c.check(s), w.gone(s, s.peer)); err != nil {
			return err
		}
		time.Sleep(time.Millisecond)
	}
	return nil
}

// acquireLimited is acquire where the context of the window may end, or holders of locks may die.
func (l *winLock) acquireLimited(c *Comm, call string, exclusive bool) (failed error) {
	met, held := false, ir.Collective{Holder: new(ir.Holder)}
	look := func() bool {
		if met || failed != nil {
			return true
		}
		if met = l.try(exclusive, c.rank); !met {
			if failed = cmp.Or(c.check(at(call)), l.orphaned(c, call, exclusive)); failed == nil {
				met = l.try(exclusive, c.rank) // it may have been orphaned
			}
			l.find(c, held.Holder)
		}
		return met || failed != nil
	}
	l.enlist(c.rank)
	if c.w.Clock != nil { // see poll
		_ = poll(context.Background(), func() bool {
			c.t.Probe(c.id.pointToPoint(), 0, 0) // makes progress
			return look() || failure(c.t) != nil
		})
	} else {
		stop := c.wakeAtEnd(c.ctx)
		c.t.AwaitCollective(call, &held, nil, look)
		stop()
	}
	l.delist(c.rank)
	if met {
		return nil
	}
	if failed == nil {
		failed = l.lost(c, call)
	}
	// Nobody else would do it for the others that wait: the lock may be free now, and is not wanted here any more.
	if exclusive {
		atomic.AndUint64(l.state, ^uint64(writerWaits))
	}
	l.rouse(c)
	return failed
}

// orphaned returns the error for a lock that waits for dead ranks, or nil. A lock that
// a dead rank held exclusively is free from then on.
func (l *winLock) orphaned(c *Comm, call string, exclusive bool) error {
	if c.failures == nil {
		return nil
	}
	dead := c.failures.dead()
	if len(dead) == 0 {
		return nil
	}
	v := atomic.LoadUint64(l.state)
	holder := int(v>>32) - 1
	switch {
	case holder >= 0 && !slices.Contains(dead, holder):
	case holder >= 0:
		if atomic.CompareAndSwapUint64(l.state, v, 0) {
			return c.errorAt(atPeer(call, holder), ErrProcFailed, "%s has died while it had the lock, and may have left its changes half done; the lock is free now", c.who(holder))
		}
	case v&writerWaits != 0 && !exclusive: // the writer may be dead; a live one sets it again
		atomic.CompareAndSwapUint64(l.state, v, v&^writerWaits)
	case v&^writerWaits != 0 && exclusive:
		return c.errorAt(at(call), ErrProcFailed, "%s has died, and may be one of those that have the lock; Free the window, and make another one on what Shrink returns", c.who(dead[0]))
	}
	return nil
}

// awaitFree waits for all live ranks to end the window, and reports whether this one frees
// its memory: the first one that knows where it is.
func (w *window) awaitFree() (last bool, err error) {
	if w.c.failures == nil {
		return w.owns, Barrier(w.c)
	}
	var knows []byte
	if w.reserved {
		knows = []byte{1}
	}
	s := at("WinFree")
	votes, err := w.c.w.failures.agree(s.call, w.c.user, w.c.core, knows)
	if err != nil {
		return false, w.c.disagreed(s, err)
	}
	first := w.c.size
	for _, v := range votes {
		if len(v.Value) > 0 {
			first = min(first, v.Rank)
		}
	}
	return first == w.c.rank, nil
}

// renounce ends the part of a rank that has not got the window, since a rank has died or the
// communicator was revoked: others may have got it, and wait for this one when they free it.
func (w *window) renounce() {
	if w.c.failures != nil {
		w.c.w.failures.vote(w.c.core, nil)
	}
}

// windowsOf returns the windows that a process belongs to.
func (w *world) windowsOf(peer int) (all []*window) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.windows {
		if v.c.local(peer) >= 0 {
			all = append(all, v)
		}
	}
	return all
}

// rankFailed tells this rank's server that a rank has died.
func (w *window) rankFailed(rank int) {
	if v, ok := unobserved(w.reach).(*served); ok {
		v.notify(request{What: askFailed, At: uint64(rank)})
	}
}

// rankFailed releases the locks of a dead rank, and drops its requests.
func (v *served) rankFailed(rank int) error {
	if v.writer == rank {
		v.writer = -1
	}
	v.readers = slices.DeleteFunc(v.readers, func(r int) bool { return r == rank })
	v.queue = slices.DeleteFunc(v.queue, func(r request) bool { return int(r.From) == rank })
	return v.grant()
}

// survives reports whether a server goes on after an error: the death of the rank that
// has asked.
func (v *served) survives(err error) bool { return errors.Is(err, ErrProcFailed) }
