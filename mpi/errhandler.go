package mpi

import (
	"errors"
	"fmt"
	"os"
	"sync/atomic"
)

// An Errhandler is called with every error of a call on a communicator (H is
// *Comm), a window (AnyWin) or a session (*Session), when the call is about to
// return it: after it has given back what it had taken, so the function may make
// calls, [Comm.Revoke] for example. The call returns the error then, unless the
// function panics or ends the process. nil returns the error and nothing else
// (MPI_ERRORS_RETURN), which is what every communicator, window and session begins with.
//
// What is wrong with a nonblocking call, or becomes of it, is an error of the call
// that completes the request. A completion of several requests calls it for each that failed.
// Errors of an object that is nil have no handler.
//
// MPI 4.1, section 9.3.
type Errhandler[H any] func(on H, err *Error)

// ErrorsAbort is an [Errhandler] that writes the error to standard error and ends
// the whole job with status 1:
//
//	world.SetErrhandler(mpi.ErrorsAbort)
//
// MPI 4.1, section 9.3 (MPI_ERRORS_ARE_FATAL, MPI_ERRORS_ABORT).
func ErrorsAbort[H interface{ place() *world }](on H, err *Error) {
	w := on.place()
	fmt.Fprintf(os.Stderr, "rank %d: %v\n", w.Rank, err)
	w.Abort(1)
}

// place is the world that ErrorsAbort ends.
func (c *Comm) place() *world    { return c.w }
func (s *Session) place() *world { return s.w }
func (w *window) place() *world  { return w.c.w }

// SetErrhandler has h be called with the errors of calls on c, and of those on
// communicators that are made of c from now on. It is a local call.
//
// MPI 4.1, section 9.3.1 (MPI_Comm_create_errhandler, MPI_Comm_set_errhandler).
func (c *Comm) SetErrhandler(h Errhandler[*Comm]) (err error) {
	defer c.raised(&err)
	if err := c.check(at("SetErrhandler")); err != nil {
		return err
	}
	c.handler.set(h)
	if c.inter != nil {
		c.inter.all.handler.set(h) // for what is made of it
	}
	return nil
}

// Errhandler returns what [Comm.SetErrhandler] has set last, here or on the
// communicator that c was made of.
//
// MPI 4.1, section 9.3.1 (MPI_Comm_get_errhandler).
func (c *Comm) Errhandler() (_ Errhandler[*Comm], err error) {
	defer c.raised(&err)
	if err := c.check(at("Errhandler")); err != nil {
		return nil, err
	}
	return c.handler.get(), nil
}

// CallErrhandler has the handler of c be called with an error of the program, and
// returns it: an [*Error] of the call CallErrhandler whose class is that of err, if
// it is a [Class] or an [ErrorCode] or has one in it, and else ErrOther. nil is no error.
//
// MPI 4.1, section 9.5 (MPI_Comm_call_errhandler).
func (c *Comm) CallErrhandler(err error) error {
	s := at("CallErrhandler")
	if bad := c.alive(s); bad != nil {
		return c.raise(bad)
	}
	return c.raise(c.ofProgram(s, err))
}

// SetErrhandler has h be called with the errors of calls on w. It is a local call.
//
// MPI 4.1, section 9.3.2 (MPI_Win_create_errhandler, MPI_Win_set_errhandler).
func (w *Win[T]) SetErrhandler(h Errhandler[AnyWin]) (err error) {
	b := w.base()
	defer b.raised(&err)
	if err := b.check(at("SetErrhandler")); err != nil {
		return err
	}
	b.handler.set(h)
	return nil
}

// Errhandler returns what [Win.SetErrhandler] has set last.
//
// MPI 4.1, section 9.3.2 (MPI_Win_get_errhandler).
func (w *Win[T]) Errhandler() (_ Errhandler[AnyWin], err error) {
	b := w.base()
	defer b.raised(&err)
	if err := b.check(at("Errhandler")); err != nil {
		return nil, err
	}
	return b.handler.get(), nil
}

// CallErrhandler has the handler of w be called with an error of the program, and
// returns it: see [Comm.CallErrhandler].
//
// MPI 4.1, section 9.5 (MPI_Win_call_errhandler).
func (w *Win[T]) CallErrhandler(err error) error {
	s, b := at("CallErrhandler"), w.base()
	if bad := b.check(s); bad != nil {
		return b.raise(bad)
	}
	return b.raise(b.c.ofProgram(s, err))
}

// SetErrhandler has h be called with the errors of calls on s, and of those that make
// communicators of its groups. It is a local call.
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

// Errhandler returns what [Session.SetErrhandler] has set last.
//
// MPI 4.1, section 9.3.4 (MPI_Session_get_errhandler).
func (s *Session) Errhandler() (_ Errhandler[*Session], err error) {
	defer s.raised(&err)
	if err := s.check("Errhandler"); err != nil {
		return nil, err
	}
	return s.handler.get(), nil
}

// CallErrhandler has the handler of s be called with an error of the program, and
// returns it: see [Comm.CallErrhandler].
//
// MPI 4.1, section 9.5 (MPI_Session_call_errhandler).
func (s *Session) CallErrhandler(err error) error {
	if bad := s.check("CallErrhandler"); bad != nil {
		return s.raise(bad)
	}
	var none *Comm
	return s.raise(none.ofProgram(at("CallErrhandler"), err))
}

// ofProgram is the error of MPI that an error of the program becomes.
func (c *Comm) ofProgram(s site, err error) error {
	if err == nil {
		return nil
	}
	class := ErrOther
	errors.As(err, &class)
	return c.because(s, class, err, "")
}

// raised is [Comm.raise] of what a function is about to return.
func (c *Comm) raised(err *error) {
	if *err != nil {
		_ = c.raise(*err)
	}
}

// raise calls the handler of c with err, unless it has been called with it already,
// and returns err. What a call does on the way to something else has no handler: the
// communicator of a window, and calls that are only prepared.
func (c *Comm) raise(err error) error {
	if err != nil && c != nil && c.launch == nil && !c.core.private {
		c.handler.call(c, err)
	}
	return err
}

// raised and raise are those of a Comm.
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

// raised is that of what the request is of.
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

// raise is that of what the transfer is of. One that is a part of a call is not the program's.
func (p *transfer) raise(err error) error {
	switch {
	case err == nil || p.phase == disowned:
	case p.c == nil || p.c.win == nil:
		return p.c.raise(err)
	case p.err != nil || p.kind == compound:
		return p.c.win.raise(err)
	}
	return err
}

// raised is that of where the group is from.
func (g *Group) raised(err *error) {
	if g != nil {
		g.session.raised(err)
	}
}

// A handlerSlot is the handler of an object.
type handlerSlot[H any] struct{ p atomic.Pointer[Errhandler[H]] }

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

// call calls the handler with an error for which none has been called yet.
func (k *handlerSlot[H]) call(on H, err error) {
	h := k.get()
	var e *Error
	if h == nil || !errors.As(err, &e) || e.raised {
		return
	}
	e.raised = true
	h(on, e)
}
