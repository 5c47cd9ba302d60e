package mpi

import (
	"errors"
	"fmt"
	"os"
	"reflect"
	"runtime"
	"sync/atomic"
)

// An Errhandler is called with every error of a call on a communicator (H is *Comm), a
// window (AnyWin) or a session (*Session), just before the call returns the error. The
// call holds nothing by then, so the function may make calls, [Comm.Revoke] for
// example. The call then returns the error, unless the function panics or ends the
// process. nil returns the error and does nothing else (MPI_ERRORS_RETURN); every
// communicator, window and session begins with it.
//
// A call that a handler makes only returns its error if the handler of the object that it
// is made on is running: a handler is not called with its own mistakes. Else it calls that
// handler, as long as no more than 64 run in each other. Calls of other goroutines, also of
// those that a handler starts, always call the handler.
//
// An error of a nonblocking operation is an error of the call that completes the
// request. A call that completes several requests calls the handler for each that
// failed. Errors of an object that is nil have no handler.
//
// MPI 4.1, section 9.3.
type Errhandler[H any] func(on H, err *Error)

// ErrorsAbort is an [Errhandler] that writes the error to standard error and ends the
// whole job with status 1:
//
//	world.SetErrhandler(mpi.ErrorsAbort)
//
// With an object that is nil it ends this process, at which the launcher ends the others.
//
// MPI 4.1, section 9.3 (MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT).
func ErrorsAbort[H interface{ place() *world }](on H, err *Error) {
	var w *world
	if any(on) != nil {
		w = on.place()
	}
	if w == nil {
		fmt.Fprintf(os.Stderr, "mpi: ErrorsAbort: the object is nil, so this process alone ends; pass a communicator, a window or a session to end the job, for the error: %v\n", err)
		os.Exit(1)
	}
	fmt.Fprintf(os.Stderr, "rank %d: %v\n", w.Rank, err)
	w.Abort(1)
}

// place returns the world that ErrorsAbort ends, nil if there is none.
func (c *Comm) place() *world {
	if c.isNull() {
		return nil
	}
	return c.w
}

func (s *Session) place() *world {
	if s == nil {
		return nil
	}
	return s.w
}

func (w *Win[T]) place() *world { return w.base().place() }

func (w *window) place() *world {
	if w == nil {
		return nil
	}
	return w.c.w
}

// SetErrhandler sets the handler of errors of calls on c, and on communicators that are
// made from c from now on. It is a local call.
//
// MPI 4.1, section 9.3.1 (MPI_Comm_create_errhandler, MPI_Comm_set_errhandler).
func (c *Comm) SetErrhandler(h Errhandler[*Comm]) (err error) {
	defer c.raised(&err)
	if err := c.check(at("SetErrhandler")); err != nil {
		return err
	}
	c.handler.set(h)
	if c.inter != nil {
		c.inter.all.handler.set(h) // for communicators made from it
	}
	return nil
}

// Errhandler returns the handler that [Comm.SetErrhandler] has set last, on c or on the
// communicator that c was made from.
//
// MPI 4.1, section 9.3.1 (MPI_Comm_get_errhandler).
func (c *Comm) Errhandler() (_ Errhandler[*Comm], err error) {
	defer c.raised(&err)
	if err := c.check(at("Errhandler")); err != nil {
		return nil, err
	}
	return c.handler.get(), nil
}

// CallErrhandler calls the handler of c with an error of the program, and returns the
// error as an [*Error] of the call CallErrhandler. Its class is that of err if err is
// or wraps a [Class] or an [ErrorCode], and else ErrOther. nil is no error.
//
// MPI 4.1, section 9.5 (MPI_Comm_call_errhandler).
func (c *Comm) CallErrhandler(err error) error {
	s := at("CallErrhandler")
	if bad := c.alive(s); bad != nil {
		return c.raise(bad)
	}
	return c.raise(c.ofProgram(s, err))
}

// SetErrhandler sets the handler of errors of calls on w. It is a local call.
//
// MPI 4.1, section 9.3.2 (MPI_Win_create_errhandler, MPI_Win_set_errhandler).
func (w *Win[T]) SetErrhandler(h Errhandler[AnyWin]) (err error) {
	b := w.base()
	defer b.raised(&err)
	if err := b.alive(at("SetErrhandler")); err != nil {
		return err
	}
	b.handler.set(h)
	return nil
}

// Errhandler returns the handler that [Win.SetErrhandler] has set last.
//
// MPI 4.1, section 9.3.2 (MPI_Win_get_errhandler).
func (w *Win[T]) Errhandler() (_ Errhandler[AnyWin], err error) {
	b := w.base()
	defer b.raised(&err)
	if err := b.alive(at("Errhandler")); err != nil {
		return nil, err
	}
	return b.handler.get(), nil
}

// CallErrhandler calls the handler of w with an error of the program, and returns the
// error: see [Comm.CallErrhandler].
//
// MPI 4.1, section 9.5 (MPI_Win_call_errhandler).
func (w *Win[T]) CallErrhandler(err error) error {
	s, b := at("CallErrhandler"), w.base()
	if bad := b.alive(s); bad != nil {
		return b.raise(bad)
	}
	return b.raise(b.c.ofProgram(s, err))
}

// SetErrhandler sets the handler of errors of calls on s, and of calls that make
// communicators from its groups. It is a local call.
//
// MPI 4.1, section 9.3.4 (MPI_Session_create_errhandler, MPI_Session_set_errhandler).
func (s *Session) SetErrhandler(h Errhandler[*Session]) (err error) {
	defer s.raised(&err)
	if err := s.check("SetErrhandler"); err != nil {
		return err
	}
	s.handler.set(h)
	return nil
}

// Errhandler returns the handler that [Session.SetErrhandler] has set last.
//
// MPI 4.1, section 9.3.4 (MPI_Session_get_errhandler).
func (s *Session) Errhandler() (_ Errhandler[*Session], err error) {
	defer s.raised(&err)
	if err := s.check("Errhandler"); err != nil {
		return nil, err
	}
	return s.handler.get(), nil
}

// CallErrhandler calls the handler of s with an error of the program, and returns the
// error: see [Comm.CallErrhandler].
//
// MPI 4.1, section 9.5 (MPI_Session_call_errhandler).
func (s *Session) CallErrhandler(err error) error {
	if bad := s.check("CallErrhandler"); bad != nil {
		return s.raise(bad)
	}
	var none *Comm
	return s.raise(none.ofProgram(at("CallErrhandler"), err))
}

// ofProgram makes an error of the program an [*Error].
func (c *Comm) ofProgram(s site, err error) error {
	if err == nil {
		return nil
	}
	class := ErrOther
	errors.As(err, &class)
	return c.because(s, class, err, "")
}

// raised is [Comm.raise] for the error that a function is about to return.
func (c *Comm) raised(err *error) {
	if *err != nil {
		_ = c.raise(*err)
	}
}

// raise calls the handler of c with err, unless a handler has been called with it
// before, and returns err. Internal calls have no handler: those on the communicator of
// a window, and calls that are only prepared.
func (c *Comm) raise(err error) error {
	if err != nil && !c.isNull() && c.launch == nil && !c.core.private {
		c.handler.call(c, err)
	}
	return err
}

// raised and raise are as those of a Comm.
func (w *window) raised(err *error) { _ = w.raise(*err) }

func (w *window) raise(err error) error {
	if err != nil && w != nil {
		w.handler.call(w, err)
	}
	return err
}

func (s *Session) raised(err *error) { _ = s.raise(*err) }

func (s *Session) raise(err error) error {
	if err != nil && s != nil {
		s.handler.call(s, err)
	}
	return err
}

// raised is raised of the object that the request belongs to.
func (r *Request) raised(err *error) {
	if *err == nil || r == nil {
		return
	}
	if k := r.repeated(); k != nil {
		_ = k.c.raise(*err)
	} else if p := r.active(); p != nil {
		_ = p.c.raise(*err)
	}
}

// raise is raise of the object that the transfer belongs to. A part of a larger call is
// not reported to the program.
func (p *transfer) raise(err error) error {
	switch {
	case err == nil || p.phase == disowned:
	case p.c.isNull() || p.c.win == nil:
		return p.c.raise(err)
	case p.err != nil || p.kind == compound:
		return p.c.win.raise(err)
	}
	return err
}

// raised is raised of the session that the group comes from.
func (g *Group) raised(err *error) {
	if g != nil {
		g.session.raised(err)
	}
}

// A handlerSlot is the handler of an object.
type handlerSlot[H any] struct {
	p       atomic.Pointer[Errhandler[H]]
	running atomic.Int32 // calls of it, and of those that the object had before, that have not returned
}

func (k *handlerSlot[H]) set(h Errhandler[H]) {
	if h == nil {
		k.p.Store(nil)
		return
	}
	k.p.Store(&h)
}

func (k *handlerSlot[H]) get() Errhandler[H] {
	if h := k.p.Load(); h != nil {
		return *h
	}
	return nil
}

// call calls the handler with an error for which none has been called yet, unless the
// failed call is one of the handler's own.
func (k *handlerSlot[H]) call(on H, err error) {
	h := k.get()
	var e *Error
	if h == nil || !errors.As(err, &e) || e.raised {
		return
	}
	e.raised = true
	if n := handlersRunning(); n > 0 && k.running.Load() > 0 || n >= mostHandlers {
		return
	}
	k.running.Add(1)
	defer k.running.Add(-1) // also if h panics, and the program recovers
	runHandler(func() { h(on, e) })
}

// mostHandlers is how many handlers may run in each other on a goroutine. Handlers that
// make objects, which inherit them, and mistakes on these would else run in each other
// without end.
const mostHandlers = 64

// runHandler calls a handler. Its frames on the stack of a goroutine tell how many handlers
// run there: those of other goroutines do not matter to a failed call.
//
//go:noinline
func runHandler(h func()) { h() }

// handlersRunning returns how many handlers run in each other on the calling goroutine.
func handlersRunning() (n int) {
	pcs := make([]uintptr, 64)
	got := runtime.Callers(1, pcs)
	for got == len(pcs) {
		pcs = make([]uintptr, 4*len(pcs))
		got = runtime.Callers(1, pcs)
	}
	frames, wanted := runtime.CallersFrames(pcs[:got]), reflect.ValueOf(runHandler).Pointer()
	for more := got > 0; more; {
		var at runtime.Frame
		if at, more = frames.Next(); at.Entry == wanted {
			n++
		}
	}
	return n
}
