package mpi

import (
	"fmt"
	"runtime"
	"strings"
	"sync/atomic"
)

// A user's operation may panic, or end its goroutine. The call that it is part of then
// ends half-way, and with it the use of the communicator. Calls that know of no user's
// operation pay nothing for that.

// users reports whether r is a user's operation.
func (r *reducer) users() bool { return r.code >= uint32(opUser) }

// A guardedOp is the user's operation of the blocking call in progress.
type guardedOp struct {
	reducer
	of  fold
	run fold // made once

	running atomic.Bool // one is in progress
}

// guard returns r so that its panic, which goes to the program, ends the call in progress.
func (k *collState) guard(r *reducer) *reducer {
	g := &k.users
	if g.run == nil {
		g.run = k.combine
	}
	g.reducer, g.of = *r, r.fold
	g.fold = g.run
	return &g.reducer
}

// combine is the guarded operation.
func (k *collState) combine(in, inout []byte) {
	ended := false
	k.users.running.Store(true)
	defer func() {
		k.users.running.Store(false)
		if !ended {
			k.t.c.state.CompareAndSwap(commOpen, commBroken)
			k.mu.Unlock()
		}
	}()
	k.users.of(in, inout)
	ended = true
}

// await takes the lock for a call on c, which another one may have. If the call is made by the user's operation of
// that one, its end would never come.
func (k *collState) await(c *Comm, s site) error {
	if k.users.running.Load() && combines() {
		return c.errorAt(s, ErrOther, "the function of an operation makes the call, within a collective call on the same communicator; such a function may only combine its arguments")
	}
	k.mu.Lock()
	return nil
}

// combines reports whether a user's operation has called, directly or not. The standard lets it make no call that
// communicates (MPI 4.1, section 6.9.5), so it does not matter in which communicator it does.
func combines() bool {
	pcs := make([]uintptr, 128)
	for skip := 0; ; skip += len(pcs) {
		n := runtime.Callers(skip, pcs)
		if n == 0 {
			return false
		}
		frames := runtime.CallersFrames(pcs[:n])
		for more := true; more; {
			var f runtime.Frame
			if f, more = frames.Next(); strings.HasSuffix(f.Function, "/mpi.(*collState).combine") {
				return true
			}
		}
	}
}

// attempt calls f, which may call a user's operation. A panic of it is the error of the
// call: any goroutine may have carried on the call. attempt reports whether f has panicked itself; meanwhile another
// goroutine may go on with the call.
func (l *launch) attempt(f func()) (panicked bool) {
	defer func() {
		if v := recover(); v != nil {
			panicked = true
			l.panicked = &Error{Class: ErrOther, text: fmt.Sprintf("the function of the operation panicked: %v; the call has ended half-way", v)}
		}
	}()
	f()
	return false
}

// start begins the messages, and reports whether there is nothing to wait for.
func (l *launch) start(t *collTransport) (ended bool) {
	if !l.user {
		return l.op.Begin(t)
	}
	panicked := l.attempt(func() { ended = l.op.Begin(t) })
	return ended || panicked
}

// advance goes on with the messages, and reports whether there is nothing to wait for.
func (l *launch) advance() (ended bool) {
	if !l.user {
		return l.op.Proceed()
	}
	panicked := l.attempt(func() { ended = l.op.Proceed() })
	return ended || panicked
}

// outcome waits for the end of the call, and returns its error.
func (l *launch) outcome(t *collTransport) (err error) {
	if !l.user {
		return l.wait(t)
	}
	if l.panicked == nil {
		l.attempt(func() { err = l.wait(t) })
	}
	if l.panicked != nil {
		return l.panicked
	}
	return err
}

// wait is outcome for operations that do not panic.
func (l *launch) wait(t *collTransport) error {
	switch {
	case l.script != nil:
		return l.script.run(t)
	case l.way == byFlags:
		return l.exchange.finish()
	case l.way == byMessages:
		return l.op.Finish()
	}
	return l.finishParts()
}
