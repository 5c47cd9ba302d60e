package mpi

import (
	"cmp"
	"fmt"
	"os"
	"strings"
	"sync/atomic"

	"rhinet/internal/process"
)

// A Session is a use of MPI that needs no world: a library opens one for itself, asks
// for sets of processes, makes communicators of them, and finalizes it, whatever the
// rest of the program does. Communicators, windows and groups belong to the session
// that they come from.
//
// MPI 4.1, section 11.3.
type Session struct {
	w       *world
	over    atomic.Bool
	handler handlerSlot[*Session]
	buffer  sendBuffer // for sends in buffered mode on communicators without their own
}

// The sets of processes that every session has. Their names are URIs, in which upper and
// lower case mean the same.
//
// MPI 4.1, section 11.3.2.
const (
	PsetWorld = "mpi://WORLD" // all processes of the job
	PsetSelf  = "mpi://SELF"  // this process
)

// SessionInit opens a session. Any part of a program may open its own, also beside the
// world of [Init], or after the world and all others have been finalized; the first one of
// a process joins its job, like Init. Only a process that runs on the library of another
// MPI cannot open one when no other is open and it had one, or a world, before
// (ErrFinalized). A "thread_level" in info must be one of the standard's (ErrInfoValue);
// whichever it is, any number of goroutines may make calls. Other keys are ignored, as
// are kinds of memory in "mpi_memory_alloc_kinds" that [Session.Info] does not list.
//
// MPI 4.1, sections 11.3.1 and 11.4.3.
func SessionInit(info ...Info) (s *Session, err error) {
	if err := askedOf(nil, "SessionInit", info); err != nil {
		return nil, err
	}
	err = process.Use(func(kept any) (any, error) {
		w, err := enter(kept, "SessionInit")
		if err != nil {
			return kept, err
		}
		s = &Session{w: w}
		return w, nil
	})
	return s, err
}

// JoinSession opens a session of one rank of job, without a world: see [Join].
//
// Not in the standard.
func JoinSession(job Job) (*Session, error) {
	w, err := join(job, at("SessionInit"))
	if err != nil {
		return nil, err
	}
	return &Session{w: w}, nil
}

// Open opens another session of the same process, independent of s.
//
// MPI 4.1, section 11.3.1 (MPI_Session_init).
func (s *Session) Open(info ...Info) (_ *Session, err error) {
	defer s.raised(&err)
	if err := cmp.Or(s.check("Open"), askedOf(nil, "Open", info)); err != nil {
		return nil, err
	}
	return s.w.session(), nil
}

// Session opens a session beside the world of c. It may be finalized before the
// world or after it.
//
// MPI 4.1, section 11.3.1 (MPI_Session_init).
func (c *Comm) Session(info ...Info) (_ *Session, err error) {
	defer c.raised(&err)
	if err := cmp.Or(c.check(at("Session")), askedOf(c, "Session", info)); err != nil {
		return nil, err
	}
	return c.w.session(), nil
}

// askedOf returns what is wrong with the hints for a session, or nil. c may be nil.
func askedOf(c *Comm, call string, info []Info) error {
	for _, hints := range info {
		switch level, given := hints["thread_level"]; level {
		case "MPI_THREAD_SINGLE", "MPI_THREAD_FUNNELED", "MPI_THREAD_SERIALIZED", threadLevel:
		default:
			if given {
				return c.errorAt(at(call), ErrInfoValue, "thread_level is %q; use MPI_THREAD_SINGLE, MPI_THREAD_FUNNELED, MPI_THREAD_SERIALIZED or MPI_THREAD_MULTIPLE, or leave it out", level)
			}
		}
	}
	return nil
}

// session opens a session. If the transport has been closed meanwhile, its calls fail.
func (w *world) session() *Session {
	w.enter()
	return &Session{w: w}
}

// check returns why the session cannot be used, or nil.
func (s *Session) check(call string) error {
	var none *Comm
	switch {
	case s == nil:
		return none.errorAt(at(call), ErrSession, "the session is nil; SessionInit opens one")
	case s.w == nil:
		return none.errorAt(at(call), ErrSession, "the session is a zero Session, which no call has opened; SessionInit opens one")
	case s.over.Load():
		return none.errorAt(at(call), ErrSession, "the session has been finalized")
	}
	return nil
}

// Finalize ends the session. Its communicators and windows must have been freed
// (ErrSession names those that are not), and its requests completed (ErrPending). It
// does not wait for other ranks. After that of the last one the process may end, or open
// others.
//
// MPI 4.1, section 11.3.1 (MPI_Session_finalize).
func (s *Session) Finalize() (err error) {
	defer s.raised(&err)
	if err := s.check("Finalize"); err != nil {
		return err
	}
	w, call := s.w, at("Finalize")
	if left := w.left(s); len(left) > 0 {
		return w.root.errorAt(call, ErrSession, "the session still has %s; Free what comes from a session before its end", strings.Join(left, ", "))
	}
	if s.over.Swap(true) {
		return s.check("Finalize")
	}
	pending := w.requests.pending(s)
	if err := w.leave(); err != nil {
		return w.root.because(call, ErrOther, err, "")
	}
	return w.root.leftOver(call, pending, nil, nil, nil)
}

// left names the objects of a session that have not been freed.
func (w *world) left(s *Session) (names []string) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for _, v := range w.windows {
		if v.c.session == s {
			names = append(names, "a window on "+brief(v.c.name))
		}
	}
	for c := range w.comms {
		if c.session == s && c.first == 0 && !c.private {
			names = append(names, brief(c.name))
		}
	}
	return names
}

// brief is the beginning of a name, which a program may have made as long as it likes.
func brief(name string) string {
	const most = 80
	if len(name) <= most {
		return name
	}
	return strings.ToValidUTF8(name[:most], "") + "..."
}

// Psets lists the names of the sets of processes.
//
// MPI 4.1, section 11.3.3 (MPI_Session_get_num_psets, MPI_Session_get_nth_pset).
func (s *Session) Psets() (_ []string, err error) {
	defer s.raised(&err)
	if err := s.check("Psets"); err != nil {
		return nil, err
	}
	return []string{PsetWorld, PsetSelf}, nil
}

// PsetInfo describes a set of processes; "mpi_size" is its size.
//
// MPI 4.1, section 11.3.3 (MPI_Session_get_pset_info).
func (s *Session) PsetInfo(pset string) (_ Info, err error) {
	defer s.raised(&err)
	g, err := s.pset("PsetInfo", pset)
	if err != nil {
		return nil, err
	}
	return Info{"mpi_size": fmt.Sprint(g.Size())}, nil
}

// Info returns the hints of the session: "thread_level" says that any number of
// goroutines may make calls, "mpi_memory_alloc_kinds" that buffers may be memory of the
// program and of MPI.
//
// MPI 4.1, sections 11.3.3 (MPI_Session_get_info) and 11.4.3.
func (s *Session) Info() (_ Info, err error) {
	defer s.raised(&err)
	if err := s.check("Info"); err != nil {
		return nil, err
	}
	return Info{"thread_level": threadLevel, memoryKinds: allMemoryKinds}, nil
}

// Group returns the group of a set of processes: [PsetWorld] in the order in
// which mpirun numbers them, or [PsetSelf].
//
// MPI 4.1, section 7.3.2 (MPI_Group_from_session_pset).
func (s *Session) Group(pset string) (_ *Group, err error) {
	defer s.raised(&err)
	return s.pset("Group", pset)
}

func (s *Session) pset(call, pset string) (*Group, error) {
	if err := s.check(call); err != nil {
		return nil, err
	}
	g, err := s.w.root.pset(at(call), pset)
	if err == nil {
		g.session = s
	}
	return g, err
}

// pset returns the group of a set of processes, for a call on c.
func (c *Comm) pset(s site, name string) (*Group, error) {
	switch w := c.w; {
	case strings.EqualFold(name, PsetWorld):
		return w.root.group(span{0, w.Size}), nil
	case strings.EqualFold(name, PsetSelf):
		return w.root.group(span{w.Rank, 1}), nil
	}
	return nil, c.errorAt(s, ErrArg, "there is no set of processes %q; there are %s and %s", name, PsetWorld, PsetSelf)
}

// AttachBuffer attaches a buffer to the session for sends in buffered mode, on all of
// its communicators that have no buffer of their own: see [Comm.AttachBuffer].
//
// MPI 4.1, section 3.6 (MPI_Session_attach_buffer).
func (s *Session) AttachBuffer(buf []byte) (err error) {
	defer s.raised(&err)
	if err := s.check("AttachBuffer"); err != nil {
		return err
	}
	return s.buffer.attach(s.w.root, at("AttachBuffer"), buf)
}

// DetachBuffer waits until all messages in the buffer of the session are sent,
// and returns the buffer: see [Comm.DetachBuffer].
//
// MPI 4.1, section 3.6 (MPI_Session_detach_buffer).
func (s *Session) DetachBuffer() (_ []byte, err error) {
	defer s.raised(&err)
	if err := s.check("DetachBuffer"); err != nil {
		return nil, err
	}
	return s.buffer.detach(s.w.root, "DetachBuffer")
}

// FlushBuffer waits until all messages in the buffer of the session are sent.
//
// MPI 4.1, section 3.6 (MPI_Session_flush_buffer).
func (s *Session) FlushBuffer() (err error) {
	defer s.raised(&err)
	if err := s.check("FlushBuffer"); err != nil {
		return err
	}
	return s.buffer.flush(s.w.root, "FlushBuffer", s.buffer.last())
}

// IflushBuffer begins [Session.FlushBuffer] and does not wait.
//
// MPI 4.1, section 3.6 (MPI_Session_iflush_buffer).
func (s *Session) IflushBuffer() *Request {
	if err := s.check("IflushBuffer"); err != nil {
		var none *Comm
		return none.failedRequest(at("IflushBuffer"), s.raise(err))
	}
	return s.w.root.flushing(at("IflushBuffer"), &s.buffer)
}

// Initialized reports whether this process has called [Init]. Sessions do not count.
//
// MPI 4.1, sections 11.2.3 and 11.4.1.
func Initialized() bool {
	state := processState()
	return state == stateActive || state == stateFinalized
}

// Finalized reports whether this process has called [Finalize]. Sessions do not count.
//
// MPI 4.1, sections 11.2.3 and 11.4.1.
func Finalized() bool { return processState() == stateFinalized }

// processState returns the state that the environment holds for this process.
func processState() string {
	pid, state, _ := strings.Cut(os.Getenv(envInit), " ")
	if pid != fmt.Sprint(os.Getpid()) {
		return ""
	}
	return state
}
