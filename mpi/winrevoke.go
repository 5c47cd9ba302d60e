package mpi

import (
	"context"
	"errors"
)

// Revocation of windows. Revoke of a communicator reaches the windows that were made from it:
// their contexts end with its own. So no rank waits for one that has turned to recovery:
//
//   - accesses, and calls that begin an epoch or wait, fail with ErrRevoked;
//   - a call that ends an epoch does end it, and releases locks, before it fails;
//   - local calls and Free work as before.
//
// A target that gives locks by messages does not know which ranks still wait for one, so it
// refuses all locks from then on (see [served]).

// revokedWindow is what errors say of a window that has been revoked.
const revokedWindow = "the window, or its communicator, has been revoked; make another window on what Shrink returns"

// errWindowRevoked reports that a target gives no locks any more.
var errWindowRevoked = errors.New("the window has been revoked")

// Revoke ends the use of w on all of its ranks: their calls on it fail with [ErrRevoked],
// also those that wait, except Free and local calls; calls that end an epoch do end it. The
// communicator that w was made from is not revoked. [Comm.Revoke] also revokes the windows
// that were made from the communicator.
//
// Not in MPI 4.1 (MPI_Win_revoke of User-Level Failure Mitigation).
func (w *Win[T]) Revoke() (err error) {
	defer w.base().raised(&err)
	b := w.base()
	if err := b.checkKeepGoing(at("WinRevoke")); err != nil {
		return err
	}
	b.revoke()
	return nil
}

// IsRevoked reports whether this rank knows that w has been revoked.
//
// Not in MPI 4.1 (MPI_Win_is_revoked of User-Level Failure Mitigation).
func (w *Win[T]) IsRevoked() bool { return w.base() != nil && w.c.IsRevoked() }

// GetFailed returns the group of the ranks of w that this rank knows to have died: see
// [Comm.GetFailed].
//
// Not in MPI 4.1 (MPI_Win_get_failed of User-Level Failure Mitigation).
func (w *Win[T]) GetFailed() (_ *Group, err error) {
	defer w.base().raised(&err)
	b := w.base()
	if err := b.checkKeepGoing(at("WinGetFailed")); err != nil {
		return nil, err
	}
	return b.c.GetFailed()
}

// checkKeepGoing is that of the communicator of w.
func (w *window) checkKeepGoing(s site) error {
	if err := w.alive(s); err != nil {
		return err
	}
	return w.c.checkKeepGoing(s)
}

// revoke revokes the window, and nothing else.
func (w *window) revoke() {
	p := w.c.w.failures
	p.mu.Lock()
	defer p.mu.Unlock()
	p.revoke(w.c.core)
}

// refused is the error of a call whose target has refused a lock. This rank may not have heard
// of the revocation yet.
func (w *window) refused(s site) error {
	w.revoke()
	return w.c.errorAt(s, ErrRevoked, "%s", revokedWindow)
}

// refuseLocks has the server of this rank refuse locks once the window is revoked, until endWatch.
func (w *window) refuseLocks() {
	v, ok := unobserved(w.reach).(*served)
	if !ok {
		return
	}
	told := make(chan struct{})
	stop := context.AfterFunc(w.c.failures.revoked, func() {
		defer close(told)
		v.notify(request{What: askRevoked})
	})
	w.unwatch = func() {
		if stop() || v.attended != nil {
			return
		}
		select { // its message is under way: afterwards it would be one of a window that is not there
		case <-told:
		case <-v.gone:
		}
	}
}

// endWatch ends what refuseLocks has begun. The server is still there.
func (w *window) endWatch() {
	if end := w.unwatch; end != nil {
		w.unwatch = nil
		end()
	}
}

// notify sends a request of this rank to its own server, whatever has been revoked.
func (v *served) notify(r request) {
	c := &Comm{core: v.c.core, ctx: v.c.w.failures.ctx}
	_ = Send(c, []request{r}, c.rank, tagRequest) // fails if the window ends
}

// revoke refuses the locks that ranks wait for, and those that they will ask for.
func (v *served) revoke() error {
	v.revoked = true
	queue := v.queue
	v.queue = nil
	for i := range queue {
		if err := v.reply(&queue[i], answerRevoked, nil); err != nil && !v.survives(err) {
			return err
		}
	}
	return nil
}
