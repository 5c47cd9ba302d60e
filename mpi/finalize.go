package mpi

import (
	"errors"
	"strings"

	"rhinet/internal/clock"
)

// Wtime returns the seconds since the program started, or, in a job in virtual
// time, those of the rank's own clock.
//
// MPI 4.1, section 9.6.
func Wtime() float64 { return clock.Seconds() }

// Finalize ends the use of MPI: it waits until all ranks have called it, so
// that every message sent has arrived. Later calls fail with [ErrFinalized].
// Requests that nobody completed are named in an error of class [ErrPending].
// Sends that were left under way, as a long one is whose wait ended with the
// context of [Comm.WithContext], are seen off as long as somebody takes them;
// if nothing moves for a second, Finalize gives them up and fails with class
// [ErrOther] (its cause is ErrUnfinished of llc/port), after MPI has ended.
//
// MPI 4.1, section 11.2.2.
func Finalize(world *Comm) error {
	s := at("Finalize")
	if err := world.check(s); err != nil {
		return err
	}
	if world.id != worldID {
		return world.errorAt(s, ErrComm, "only the world can be finalized; use Free")
	}
	w := world.w
	if err := w.endSelf(s); err != nil {
		return err
	}
	pending := w.requests.pending()
	err := world.barrier(s, callFinalize)
	w.endWindows()
	w.mu.Lock()
	if w.over {
		w.mu.Unlock()
		return world.errorAt(s, ErrFinalized, "nothing can be called after Finalize")
	}
	w.over = true
	for c := range w.comms {
		c.state.Store(commFinalized)
	}
	w.mu.Unlock()
	if e := w.close(); err == nil && e != nil {
		err = world.because(s, ErrOther, e, "")
	}
	if err == nil && len(pending) > 0 {
		err = pendingError(world, s, pending)
	}
	return err
}

// close ends the use of the transport.
func (w *world) close() error {
	err := w.Transport.Close()
	if w.release != nil {
		err = errors.Join(err, w.release())
	}
	return err
}

// pendingError names the first requests that nobody completed.
func pendingError(c *Comm, s site, pending []string) error {
	const shown = 8
	more := ""
	n := len(pending)
	if n > shown {
		pending, more = pending[:shown], "\n\t..."
	}
	return c.errorAt(s, ErrPending, "%d requests were never completed; Wait for each, or Test it until it is done:\n\t%s%s",
		n, strings.Join(pending, "\n\t"), more)
}

// Abort ends the whole job with a status, of which 1 to 255 reach the system;
// others become 1. It does not return. c is any communicator.
//
// MPI 4.1, section 11.4.2.
func Abort(c *Comm, status int) {
	if status < 1 || status > 255 {
		status = 1
	}
	c.w.Abort(status)
	panic("mpi: Job.Abort returned")
}
