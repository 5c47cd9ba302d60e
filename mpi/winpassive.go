package mpi

import (
	"cmp"
	"sync/atomic"
)

// A LockType says whether other ranks may lock the same rank at the same time.
//
// MPI 4.1, section 12.5.3.
type LockType uint8

// The types of locks.
const (
	LockShared    LockType = iota // other ranks may have the lock, too
	LockExclusive                 // no other rank has it
)

// Lock begins an epoch in which this rank may access the part of rank target. It waits
// for the lock; the target takes no part. [Win.Unlock] ends the epoch. Several ranks
// may be locked at a time, which can deadlock if ranks lock them in different orders.
// ProcNull may be locked, too, for accesses to ProcNull.
//
// MPI 4.1, section 12.5.3.
func (w *Win[T]) Lock(kind LockType, target int, asserts ...Assert) (err error) {
	defer w.base().raised(&err)
	s, b := atPeer("Lock", target), w.base()
	if err := b.mayLock(s, asserts); err != nil {
		return err
	}
	if kind > LockExclusive {
		return b.c.errorAt(s, ErrLockType, "there is no lock of type %d; use LockShared or LockExclusive", kind)
	}
	if target != ProcNull && uint(target) >= uint(b.c.size) {
		return b.c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", target, b.c.size-1)
	}
	if err := b.gone(s, target); err != nil {
		return err
	}
	return b.lock(s, target, kind == LockExclusive)
}

// mayLock makes the checks that calls that lock have in common.
func (w *window) mayLock(s site, asserts []Assert) error {
	if err := w.check(s); err != nil {
		return err
	}
	if _, err := w.assertion(s, asserts, NoCheck); err != nil {
		return err
	}
	if w.hints[HintNoLocks] == "true" {
		return w.c.errorAt(s, ErrRMASync, "the window was made with the hint %s", HintNoLocks)
	}
	return nil
}

func (w *window) lock(s site, target int, exclusive bool) error {
	if err := w.beginLock(s, target); err != nil {
		return err
	}
	var err error
	if target != ProcNull {
		err = w.reach.lock(s.call, target, exclusive) // without w.mu: another goroutine may have to unlock what another rank waits for
	}
	w.mu.Lock()
	defer w.mu.Unlock()
	switch {
	case err != nil:
		w.unlocked(target)
	case exclusive:
		w.access(target).Store(openExclusive)
	default:
		w.access(target).Store(openShared)
	}
	return w.explain(s, err)
}

// access returns what allows access to a rank, or to ProcNull: an epoch of ProcNull allows
// no access to a rank (12.3).
func (w *window) access(target int) *atomic.Uint32 {
	if target == ProcNull {
		return &w.null
	}
	return &w.open[target]
}

// beginLock records that this rank is about to lock target.
func (w *window) beginLock(s site, target int) error {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.mode.Load() != winLocked {
		if err := w.noAccess(s); err != nil {
			return err
		}
	} else if w.access(target).Load() != closedTo {
		return w.c.errorAt(s, ErrRMASync, "this rank has locked it already; Unlock it first")
	}
	w.access(target).Store(openPending)
	w.locks++
	w.mode.Store(winLocked)
	return nil
}

// unlocked records that target is not locked. The caller holds the lock.
func (w *window) unlocked(target int) {
	w.access(target).Store(closedTo)
	if w.locks--; w.locks == 0 {
		w.mode.Store(winIdle)
	}
}

// Unlock ends the epoch of [Win.Lock]. All its accesses are then complete.
//
// MPI 4.1, section 12.5.3.
func (w *Win[T]) Unlock(target int) (err error) {
	defer w.base().raised(&err)
	s, b := atPeer("Unlock", target), w.base()
	if err := b.alive(s); err != nil {
		return err
	}
	held := closedTo
	if target == ProcNull || uint(target) < uint(b.c.size) {
		held = b.access(target).Load()
	}
	if b.mode.Load() != winLocked || held != openShared && held != openExclusive {
		return b.c.errorAt(s, ErrRMASync, "this rank has not locked it; call Lock first")
	}
	b.mu.Lock()
	b.unlocked(target)
	b.mu.Unlock()
	if target == ProcNull {
		return b.check(s)
	}
	b.log.Forget(target, true)
	b.fence()
	failed := b.gone(s, target)
	if failed == nil {
		failed = b.explain(s, b.reach.unlock(target, held == openExclusive))
	}
	return cmp.Or(b.check(s), failed)
}

// LockAll begins an epoch in which this rank may access the parts of all ranks,
// together with other ranks in such an epoch. It waits for exclusive locks.
// [Win.UnlockAll] ends the epoch.
//
// MPI 4.1, section 12.5.3.
func (w *Win[T]) LockAll(asserts ...Assert) (err error) {
	defer w.base().raised(&err)
	s, b := at("LockAll"), w.base()
	if err := b.mayLock(s, asserts); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.noAccess(s); err != nil {
		return err
	}
	if err := b.anyGone(s); err != nil {
		return err
	}
	if err := b.opens(func() error { return b.lockEach(s.call) }); err != nil {
		return b.explain(s, err)
	}
	b.mode.Store(winLockAll)
	return nil
}

// lockEach takes shared locks of the parts of all ranks, or of none on failure.
func (w *window) lockEach(call string) error {
	for r := range w.c.size {
		if err := w.reach.lock(call, r, false); err != nil {
			for i := range r {
				_ = w.reach.unlock(i, false) // the first error says more
			}
			return err
		}
	}
	return nil
}

// UnlockAll ends the epoch of [Win.LockAll]. All its accesses are then complete.
//
// MPI 4.1, section 12.5.3.
func (w *Win[T]) UnlockAll() (err error) {
	defer w.base().raised(&err)
	s, b := at("UnlockAll"), w.base()
	if err := b.alive(s); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mode.Load() != winLockAll {
		return b.c.errorAt(s, ErrRMASync, "there is no epoch of LockAll to end")
	}
	b.mode.Store(winIdle)
	b.log.ForgetAll(true)
	b.fence()
	var failed error
	for r := range b.c.size {
		if b.c.failures != nil && b.c.failures.has(r) {
			continue
		}
		if err := b.reach.unlock(r, false); err != nil && failed == nil { // go on: other ranks wait for the locks that are left
			failed = b.explain(s, err)
		}
	}
	return cmp.Or(b.check(s), failed, b.anyGone(s))
}

// Flush completes all accesses of this rank to the part of rank target, also at the
// target, within an epoch of Lock or LockAll.
//
// MPI 4.1, section 12.5.4.
func (w *Win[T]) Flush(target int) error {
	b := w.base()
	if b != nil && b.plain && b.mode.Load() == winLockAll && uint(target) < uint(len(b.open)) {
		b.fence()
		return nil
	}
	return b.raise(b.flush(atPeer("Flush", target)))
}

// FlushLocal is [Win.Flush] only for this rank: its buffers may be used again.
//
// MPI 4.1, section 12.5.4.
func (w *Win[T]) FlushLocal(target int) error {
	b := w.base()
	return b.raise(b.flush(atPeer("FlushLocal", target)))
}

// FlushAll is [Win.Flush] for all ranks.
//
// MPI 4.1, section 12.5.4.
func (w *Win[T]) FlushAll() error { b := w.base(); return b.raise(b.flush(at("FlushAll"))) }

// FlushLocalAll is [Win.FlushLocal] for all ranks.
//
// MPI 4.1, section 12.5.4.
func (w *Win[T]) FlushLocalAll() error { b := w.base(); return b.raise(b.flush(at("FlushLocalAll"))) }

// flush is Flush for one rank, or for all. All accesses are complete already.
func (w *window) flush(s site) error {
	if err := w.check(s); err != nil {
		return err
	}
	one := s.role != noPeer
	switch {
	case one && s.peer == ProcNull:
		return nil
	case one && uint(s.peer) >= uint(w.c.size):
		return w.c.errorAt(s, ErrRank, "there is no rank %d; ranks are 0 to %d", s.peer, w.c.size-1)
	}
	mode := w.mode.Load()
	if mode != winLockAll && (mode != winLocked || one && !w.ready(s.peer)) {
		return w.c.errorAt(s, ErrRMASync, "there is no epoch of Lock or LockAll; call one of them first")
	}
	w.fence()
	if there := s.call == "Flush" || s.call == "FlushAll"; one {
		w.log.Forget(s.peer, there)
		return w.gone(s, s.peer)
	} else {
		w.log.ForgetAll(there)
	}
	return w.anyGone(s)
}
