package mpi

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"sync"

	"rhinet/internal/libmpi"
	"rhinet/llc"
	"rhinet/llc/port"
)

// In a job that goes on when ranks die (mpirun --keep-going), each communicator has a
// state of failures: contexts that end waits that would otherwise never end. In other jobs
// communicators have none, and calls do no extra work.

// commFailures is the state of a communicator whose ranks may die.
type commFailures struct {
	c        *core           // of all members
	revoked  context.Context // ends when it is revoked, or that from which its window was made
	whole    context.Context // ends with revoked, and when a member dies: calls that need all ranks then fail
	revoke   context.CancelCauseFunc
	endWhole context.CancelCauseFunc

	mu        sync.Mutex
	anyone    context.Context // ends as whole does, except for deaths that were acknowledged
	endAnyone context.CancelCauseFunc
	failed    []int // members that have died, in the order in which this rank has learned it
	acked     int   // how many of these the program has acknowledged
}

// A failureError is why a context of commFailures has ended.
type failureError struct {
	class Class
	text  string
}

// Error is the text.
func (e *failureError) Error() string { return e.text }

// textOn is what errors of calls on a communicator say: the program knows that of a window as
// the window.
func (e *failureError) textOn(c *core) string {
	if e.class == ErrRevoked && c.win != nil {
		return revokedWindow
	}
	return e.text
}

func newCommFailures(c *core) *commFailures {
	f := &commFailures{c: c}
	maker := context.Background()
	if c.maker != nil {
		maker = c.maker.revoked
	}
	f.revoked, f.revoke = context.WithCancelCause(maker)
	f.whole, f.endWhole = context.WithCancelCause(f.revoked)
	f.anyone, f.endAnyone = context.WithCancelCause(f.revoked)
	return f
}

// died says that a member is dead.
func (f *commFailures) died(rank int) {
	f.mu.Lock()
	defer f.mu.Unlock()
	if slices.Contains(f.failed, rank) {
		return
	}
	f.failed = append(f.failed, rank)
	text := fmt.Sprintf("%s has died; Shrink makes a communicator of those that live", f.c.who(rank))
	f.endWhole(&failureError{ErrProcFailed, text})
	f.endAnyone(&failureError{ErrProcFailedPending, fmt.Sprintf("%s, which may be the sender, has died; AckFailed says that you know", f.c.who(rank))})
}

// isRevoked reports whether the communicator has been revoked.
func (f *commFailures) isRevoked() bool { return f.revoked.Err() != nil }

// dead lists the members that this rank knows to have died.
func (f *commFailures) dead() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.failed)
}

// acknowledge records that the program knows of the first n deaths.
func (f *commFailures) acknowledge(n int) int {
	f.mu.Lock()
	defer f.mu.Unlock()
	f.acked = max(f.acked, min(n, len(f.failed)))
	if f.acked == len(f.failed) && f.anyone.Err() != nil {
		f.anyone, f.endAnyone = context.WithCancelCause(f.revoked)
	}
	return f.acked
}

// ackedRanks lists the deaths that the program knows of.
func (f *commFailures) ackedRanks() []int {
	f.mu.Lock()
	defer f.mu.Unlock()
	return slices.Clone(f.failed[:f.acked])
}

// bereaved reports whether nobody may be left to send what a call waits for from a process, or from any: the process
// has died, or some member has, and the program has not acknowledged that.
func (f *commFailures) bereaved(process int) bool {
	if process == llc.AnyPeer {
		return f.fromAnyone().Err() != nil
	}
	return f.has(f.c.local(process))
}

// fromAnyone is the context of receives from any rank.
func (f *commFailures) fromAnyone() context.Context {
	f.mu.Lock()
	defer f.mu.Unlock()
	return f.anyone
}

// bothOf returns a context that ends when one of two contexts ends; user may be nil.
// stop releases its resources.
func bothOf(user, failures context.Context) (both context.Context, stop func()) {
	return bothFor(user, failures, func() error { return context.Cause(failures) })
}

// bothFor is bothOf in which the end of the second context has another cause, unless the first is nil.
func bothFor(user, failures context.Context, cause func() error) (both context.Context, stop func()) {
	if user == nil {
		return failures, func() {}
	}
	both, end := context.WithCancelCause(user)
	forget := context.AfterFunc(failures, func() { end(cause()) })
	return both, func() { forget(); end(nil) }
}

// bind sets the contexts of a view of a communicator, from those of its user and of its
// failures.
func (c *Comm) bind() *Comm {
	c.ctx, c.whole = c.user, c.user
	if c.failures != nil {
		c.ctx, _ = bothOf(c.user, c.failures.revoked)
		c.whole, _ = bothOf(c.user, c.failures.whole)
	}
	return c.directed()
}

// directed sets whether the calls of a view need not look at a context.
func (c *Comm) directed() *Comm {
	if c.direct = c.core; c.ctx != nil {
		c.direct = nil
	}
	return c
}

// limited is the error of a call that a context has ended.
func (c *Comm) limited(s site, cause error, text string) *Error {
	if f, ok := cause.(*failureError); ok {
		return c.errorAt(s, f.class, "%s", f.textOn(c.core))
	}
	return c.because(s, ErrCancelled, cause, text)
}

// lost returns the class of a failure of the transport: ErrProcFailed for the death of
// a rank in a job that survives it.
func (c *core) lost(err error) Class {
	switch {
	case c.failures != nil && isGone(err):
		return ErrProcFailed
	case errors.Is(err, errNotCarried):
		return ErrUnsupported
	case errors.Is(err, libmpi.ErrTag):
		return ErrTag
	}
	return ErrOther
}

// undone is the error of a message that the transport has not moved. The death of its peer,
// in a job that survives it, is told as such, and not by what it has ended first.
func (c *Comm) undone(s site, err error) *Error {
	class := c.lost(err)
	if class == ErrProcFailed && s.peer >= 0 {
		return c.died(s, c.global(s.peer))
	}
	if errors.Is(err, port.ErrClosed) && c.state.Load() == commFinalized {
		return c.errorAt(s, ErrFinalized, "this rank called Finalize while the call waited; let such calls end before")
	}
	return c.because(s, class, err, "")
}

// died is the error of a call that names a dead process.
func (c *Comm) died(s site, process int) *Error {
	all := c.failures.c
	return c.errorAt(s, ErrProcFailed, "%s has died; Shrink makes a communicator of those that live", all.who(all.local(process)))
}

// wild reports whether p may match a message of any rank in a job that survives deaths.
func (p *transfer) wild() bool {
	return p.c.failures != nil && p.kind == receiving && p.Peer == llc.AnyPeer
}

// limit returns the context that ends waits for p.
func (p *transfer) limit() (context.Context, func()) {
	if p.wild() {
		return bothOf(p.c.user, p.c.failures.fromAnyone())
	}
	return p.c.ctx, func() {}
}

// over returns why no wait for p goes on: its communicator has been revoked, or the context of its user has ended;
// or nil.
func (p *transfer) over() error {
	if f := p.c.failures; f != nil && f.isRevoked() {
		return context.Cause(f.revoked)
	}
	if p.c.user != nil {
		return context.Cause(p.c.user)
	}
	return nil
}

// failurePending returns the error of a wait for a receive from any rank, which stays
// active, if a rank has died and the program has not acknowledged it; or nil.
func (p *transfer) failurePending() error {
	if p == nil || p.c == nil || !p.started() || !p.wild() || p.c.failures.isRevoked() || p.c.t.Test(&p.Request) {
		return nil
	}
	if cause := context.Cause(p.c.failures.fromAnyone()); cause != nil {
		return p.c.limited(p.site, cause, "")
	}
	return nil
}

// goesOn reports whether a request is still active after this error of its wait.
func goesOn(err error) bool {
	e, ok := err.(*Error)
	return ok && e.Class == ErrProcFailedPending
}

// quit gives up the receive of a call that has ended: one from any rank may have stayed
// active after an error.
func (c *Comm) quit(r *Request) {
	if c.failures != nil {
		r.withdraw()
	}
}

// isGone reports whether err says that a rank has died.
func isGone(err error) bool { return errors.Is(err, llc.ErrPeerGone) }

// endIfRevoked completes p with an error if its communicator has been revoked, and reports
// whether p is complete. Messages of the servers of windows, which no context limits, arrive
// all the same.
func (p *transfer) endIfRevoked() bool {
	if p.c.failures == nil || p.c.ctx == nil || !p.c.failures.isRevoked() || !p.started() {
		return false
	}
	withdrawn := p.c.t.Cancel(&p.Request)
	if !withdrawn && p.c.t.Test(&p.Request) {
		return true
	}
	p.lost = !withdrawn
	p.task = newTask()
	p.task.end(emptyStatus(), p.c.limited(p.site, context.Cause(p.c.failures.revoked), ""))
	return true
}
