package mpi

import (
	"cmp"
	"errors"
	"slices"
)

// An Assert is a promise about an epoch that may save work. Most are only checked here.
//
// MPI 4.1, section 12.5.5.
type Assert uint8

// The assertions.
const (
	NoCheck   Assert = 1 << iota // Post, Start, Lock, LockAll: the other side is ready, or no other rank has the lock
	NoStore                      // Post, Fence: this rank has not changed its own part
	NoPut                        // Post, Fence: no rank will change this rank's part
	NoPrecede                    // Fence: it ends no access of any rank
	NoSucceed                    // Fence: it begins no epoch
)

// assertion combines the assertions passed to a call, of which only some are allowed.
func (w *window) assertion(s site, given []Assert, allowed Assert) (a Assert, err error) {
	for _, g := range given {
		a |= g
	}
	if a&^allowed != 0 {
		return a, w.c.errorAt(s, ErrAssert, "the call does not take the assertion %#x; see mpi.Assert", uint8(a&^allowed))
	}
	return a, nil
}

// Fence ends, at all ranks, the epoch that the last Fence began, and begins another one
// unless [NoSucceed] is given. The accesses of the ended epoch are complete and visible
// to all ranks. All ranks must call it.
//
// MPI 4.1, section 12.5.1.
func (w *Win[T]) Fence(asserts ...Assert) (err error) {
	defer w.base().raised(&err)
	s, b := at("Fence"), w.base()
	if err := b.alive(s); err != nil {
		return err
	}
	a, err := b.assertion(s, asserts, NoStore|NoPut|NoPrecede|NoSucceed)
	if err != nil {
		return err
	}
	if err := b.noEpochs(s); err != nil {
		return err
	}
	if a&NoPrecede != 0 && b.mode.Load() == winFenced {
		return b.c.errorAt(s, ErrAssert, "NoPrecede says that there was no access, and there was one since the Fence before")
	}
	if err := b.check(s); err != nil {
		return b.unfenced(err)
	}
	b.fence()
	var conflict error
	if b.log != nil {
		defer b.c.end(b.c.w.begin(), s.call)
		if conflict = b.compareAll(s, a); conflict != nil && !errors.Is(conflict, ErrRMAConflict) && !errors.Is(conflict, ErrAssert) {
			return b.unfenced(conflict)
		}
		b.expose(s.call, a)
	}
	if err := b.c.barrier(s, callBarrier); err != nil {
		return b.unfenced(err)
	}
	b.fence()
	if a&NoSucceed != 0 {
		b.mode.Store(winIdle)
	} else {
		b.mode.Store(winFence)
	}
	return conflict
}

// unused returns the error for an epoch of w that has not ended, also for one of Fence with accesses, or nil. If
// the ranks no longer agree on their calls, no Fence can end such an epoch.
func (w *window) unused(s site) error {
	if w.mode.Load() == winFenced && w.c.failures == nil && w.c.state.Load() == commOpen {
		return w.c.errorAt(s, ErrRMASync, "the epoch of Fence has not ended, and this rank has accessed the window in it; call Fence first")
	}
	return w.noEpochs(s)
}

// unfenced ends the epoch of a Fence that has failed with err because a rank has died, or the
// window has been revoked: no later one can end it.
func (w *window) unfenced(err error) error {
	if errors.Is(err, ErrProcFailed) || errors.Is(err, ErrRevoked) {
		w.mode.Store(winIdle)
	}
	return err
}

// Post begins an epoch in which the ranks of g may access this rank's part. It does not
// wait. [Win.Wait] or [Win.Test] ends the epoch. If Post fails because one of the ranks
// has died, the others may access; then [Win.Free] ends the epoch, too.
//
// MPI 4.1, section 12.5.2.
func (w *Win[T]) Post(g *Group, asserts ...Assert) (err error) {
	defer w.base().raised(&err)
	s, b := at("Post"), w.base()
	if err := b.check(s); err != nil {
		return err
	}
	a, err := b.assertion(s, asserts, NoCheck|NoStore|NoPut)
	if err != nil {
		return err
	}
	ranks, err := b.ranksOf(s, g)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.exposed {
		return b.c.errorAt(s, ErrRMASync, "the epoch of the Post before has not ended; call Wait first")
	}
	if b.mode.Load() == winFenced { // its memory is exposed already
		return b.noAccess(s)
	}
	b.exposed, b.exposure, b.exposing = true, b.exposure[:0], ranks
	b.fence()
	b.expose(s.call, a)
	for _, r := range ranks {
		q := start(b.c, "Wait", []byte{}, r, tagComplete, receiving)
		q.label(b.ending)
		b.exposure = append(b.exposure, &q)
	}
	if a&NoCheck == 0 {
		err = b.tell(s, ranks, tagPost)
	}
	b.unposted = err != nil
	return err
}

// unpost gives up an epoch of a Post that has failed. All ranks have ended their own epochs.
func (w *window) unpost() {
	w.mu.Lock()
	defer w.mu.Unlock()
	if w.exposed {
		for _, q := range w.exposure {
			q.withdraw()
		}
		w.exposed = false
	}
}

// tell sends the ranks an empty message.
func (w *window) tell(s site, ranks []int, tag int) (err error) {
	for _, r := range ranks {
		if e := w.c.t.Send(w.c.idOf(r).key(), w.c.global(r), tag, 0, nil); e != nil && err == nil { // go on after an error: other ranks wait for their message
			err = w.ofPeer(s.call, r, w.c.because(atPeer(s.call, r), w.c.lost(e), e, ""))
		}
	}
	return err
}

// ranksOf returns the ranks of g in the window.
func (w *window) ranksOf(s site, g *Group) ([]int, error) {
	ranks := make([]int, 0, g.Size())
	for _, p := range g.list() {
		r := w.c.local(int(p))
		if r == Undefined {
			return nil, w.c.errorAt(s, ErrGroup, "world rank %d of the group is not in the window", p)
		}
		ranks = append(ranks, r)
	}
	return ranks, nil
}

// Start begins an epoch in which this rank may access the parts of the ranks of g. It
// waits until they have called [Win.Post]. [Win.Complete] ends the epoch.
//
// MPI 4.1, section 12.5.2.
func (w *Win[T]) Start(g *Group, asserts ...Assert) (err error) {
	defer w.base().raised(&err)
	s, b := at("Start"), w.base()
	if err := b.check(s); err != nil {
		return err
	}
	a, err := b.assertion(s, asserts, NoCheck)
	if err != nil {
		return err
	}
	ranks, err := b.ranksOf(s, g)
	if err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if err := b.noAccess(s); err != nil {
		return err
	}
	if a&NoCheck == 0 {
		if err := b.opens(func() error { return b.awaitPosts(ranks) }); err != nil {
			return err
		}
	}
	for _, r := range ranks {
		b.open[r].Store(openStarted)
	}
	b.started = ranks
	b.mode.Store(winStarted)
	return nil
}

// awaitPosts waits until the ranks have called Post. If one of them has died, the Posts of
// the others stay in force. One goroutine at a time calls it.
func (w *window) awaitPosts(ranks []int) error {
	for i, r := range ranks {
		if k := slices.Index(w.posted, r); k >= 0 {
			w.posted = slices.Delete(w.posted, k, k+1)
			continue
		}
		if err := w.awaitPost(r); err != nil {
			w.posted = append(w.posted, ranks[:i]...)
			return w.ofPeer("Start", r, err)
		}
	}
	return nil
}

// awaitPost waits until rank r has called Post. In reports that is a wait of Start.
func (w *window) awaitPost(r int) error {
	if w.c.plain() {
		_, err := w.c.recvFor(w.starting, elemOf[byte](&w.c.w.elems), nil, r, tagPost)
		return err
	}
	q := start(w.c, "Start", []byte{}, r, tagPost, receiving)
	q.label(w.starting)
	_, err := q.Wait()
	q.withdraw()
	return err
}

// opens calls wait, for an epoch of this rank to begin. The caller holds the lock,
// which is free meanwhile: another goroutine may have to call Post, for the same ranks
// that this one waits for.
func (w *window) opens(wait func() error) error {
	w.opening = true
	w.mu.Unlock()
	defer func() {
		w.mu.Lock()
		w.opening = false
	}()
	return wait()
}

// noAccess returns the error for an epoch of this rank that another one must not
// overlap, or nil. The caller holds the lock.
func (w *window) noAccess(s site) error {
	if w.opening {
		return w.c.errorAt(s, ErrRMASync, "another goroutine is in Start or LockAll; end that epoch first")
	}
	switch w.mode.Load() {
	case winFenced:
		return w.c.errorAt(s, ErrRMASync, "the epoch of Fence has not ended; call Fence with NoSucceed first")
	case winLocked:
		return w.c.errorAt(s, ErrRMASync, "ranks %v are locked; Unlock them first", w.lockedRanks())
	case winLockAll:
		return w.c.errorAt(s, ErrRMASync, "the epoch of LockAll has not ended; call UnlockAll first")
	case winStarted:
		return w.c.errorAt(s, ErrRMASync, "the epoch of Start has not ended; call Complete first")
	}
	return nil
}

// Complete ends the epoch of [Win.Start]. All its accesses are then complete.
//
// MPI 4.1, section 12.5.2.
func (w *Win[T]) Complete() (err error) {
	defer w.base().raised(&err)
	s, b := at("Complete"), w.base()
	if err := b.alive(s); err != nil {
		return err
	}
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.mode.Load() != winStarted {
		return b.c.errorAt(s, ErrRMASync, "there is no epoch of Start to end")
	}
	b.mode.Store(winIdle)
	for _, r := range b.started {
		b.open[r].Store(closedTo)
	}
	b.fence()
	var failed error
	if b.log != nil {
		failed = b.tellAccesses(b.started)
	}
	told := b.tell(s, b.started, tagComplete)
	return cmp.Or(b.check(s), told, failed)
}

// Wait ends the epoch of [Win.Post] after all its ranks have called Complete.
//
// MPI 4.1, section 12.5.2.
func (w *Win[T]) Wait() (err error) {
	defer w.base().raised(&err)
	_, err = w.base().waitExposure(at("Wait"), func(reqs []*Request) (bool, error) { return true, WaitAll(reqs...) })
	return err
}

// Test is the nonblocking form of [Win.Wait]; it reports whether the epoch has ended.
//
// MPI 4.1, section 12.5.2.
func (w *Win[T]) Test() (_ bool, err error) {
	defer w.base().raised(&err)
	return w.base().waitExposure(at("Test"), func(reqs []*Request) (bool, error) {
		_, done, err := TestAll(reqs...)
		return done, err
	})
}

func (w *window) waitExposure(s site, wait func([]*Request) (bool, error)) (bool, error) {
	if err := w.alive(s); err != nil {
		return false, err
	}
	w.mu.Lock()
	exposed := w.exposed
	w.mu.Unlock()
	if !exposed {
		return false, w.c.errorAt(s, ErrRMASync, "there is no epoch of Post to end")
	}
	done, err := wait(w.exposure)
	if done || err != nil {
		w.mu.Lock()
		w.exposed = false
		w.mu.Unlock()
		w.fence()
	}
	if (done || err != nil) && w.log != nil {
		err = w.hearAccesses(s, w.exposing, err)
		w.begun.before = nil // when an epoch of Fence began is longer ago
	}
	var failed *RequestErrors
	if errors.As(err, &failed) {
		i := slices.IndexFunc(failed.Of, func(err error) bool { return err != nil })
		return done, w.ofPeer(s.call, w.exposing[i], failed.Of[i])
	}
	if err == nil && done {
		err = w.check(s)
	}
	return done, named(s.call, err)
}

// ofPeer is the error of a call for a rank whose message has not come. The program has not
// named that message.
func (w *window) ofPeer(call string, rank int, err error) error {
	var e *Error
	if !errors.As(err, &e) {
		return err
	}
	if e.Class == ErrProcFailed {
		return w.died(atPeer(call, rank), rank)
	}
	e.Call, e.Peer, e.Tag = call, rank, Undefined
	return e
}

// Sync makes changes of the window's memory by other ranks visible to this rank, and
// its own to them: for programs that load from and store to it directly, whatever
// epochs they use.
//
// MPI 4.1, section 12.5.4 (MPI_Win_sync).
func (w *Win[T]) Sync() (err error) {
	defer w.base().raised(&err)
	b := w.base()
	if err := b.alive(at("Sync")); err != nil {
		return err
	}
	b.fence()
	if b.polling != nil && due(b.order.Load(), quickPolls) {
		b.polling.giveWay()
	}
	if v := b.server(); v != nil && v.attended != nil {
		return v.attended.pass(b.c)
	}
	return nil
}
