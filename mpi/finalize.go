package mpi

import (
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"

	"rhinet/internal/clock"
	"rhinet/llc/port"
)

// Wtime returns the seconds since the program started, or, in a job in virtual time,
// the seconds of the rank's own clock.
//
// MPI 4.1, section 9.6.
func Wtime() float64 { return clock.Seconds() }

// Finalize ends the use of the world: it waits until all ranks have called it, so that
// every message sent has arrived. Sessions may stay open, and be opened later
// ([SessionInit]). A process that has called [Init] must call it before it exits: mpirun
// takes one that exits with status 0 and has not for a failed rank. Later calls fail
// with [ErrFinalized]. While an epoch of Lock, LockAll, Start or Post is open on a
// window, or one of Fence in which this rank has accessed it, Finalize fails with [ErrRMASync] and changes nothing, except in a job that
// goes on when ranks die. An error of class [ErrPending] lists requests that were never
// completed, sends whose requests were freed and that no rank has received although they
// needed it, and, in a checked job (see Job.Check), messages that have arrived at this
// rank and were never received, and partitioned requests without a partner. Calls that
// still wait, on other goroutines, end with an error. Messages that no receive waits for
// are dropped, and so their sends end, like a long one whose wait has ended with the
// context of [Comm.WithContext]. Sends that are still in flight are continued as long as
// their receivers make progress. If nothing moves for a second, Finalize gives them up
// and fails with class [ErrOther] (its cause is ErrUnfinished of llc/port) if no such
// request explains them, after MPI has ended.
//
// MPI 4.1, section 11.2.2.
func Finalize(world *Comm) (err error) {
	defer world.raised(&err)
	s := at("Finalize")
	if err := world.alive(s); err != nil {
		return err
	}
	if err := world.check(s); err != nil && world.failures == nil {
		return err
	}
	if world.id != worldID {
		return world.errorAt(s, ErrComm, "only the world can be finalized; use Free")
	}
	w := world.w
	if err := w.openEpochs(s, nil); err != nil && world.failures == nil {
		return err // other ranks may wait for the end of the epoch
	}
	if err := w.endSelf(s); err != nil {
		return err
	}
	w.finalizing.Store(true)
	whole, err := world.lastBarrier(s)
	var left []*unreceived
	w.arbiter.close(err)
	if w.Check && err == nil {
		if whole {
			world.drainMessages(s)
		}
		left = w.unreceived()
		if whole {
			world.trace(s, left[:min(len(left), listedLines)])
		}
		// A rank that leaves is taken for dead: what it has sent last, and what waits on the communicators it
		// was in, would be lost on the ranks that have not yet looked.
		_, err = world.lastBarrier(s)
	}
	w.endWindows(nil)
	if !w.finalize(nil) {
		return world.errorAt(s, ErrFinalized, "nothing can be called after Finalize")
	}
	w.markWorld(false)
	e := w.leave()
	if err != nil {
		return err
	}
	// The servers of windows, and the goroutine that handles deaths, have ended.
	pending, unmet := w.requests.pending(nil), w.unmet()
	// What a call that a death or Revoke has ended has sent may wait for ever.
	explained := len(pending)+len(unmet) > 0 || w.failures != nil && (w.failures.anyDied() || w.failures.anyRevoked.Load())
	if e != nil && !(errors.Is(e, port.ErrUnfinished) && explained) {
		return world.because(s, ErrOther, e, "")
	}
	return world.leftOver(s, pending, w.requests.notTaken(), left, unmet)
}

// openEpochs returns the error of an end of a session, or of the world, while an epoch of one
// of its windows is open, or nil.
func (w *world) openEpochs(s site, of *Session) error {
	w.mu.Lock()
	all := slices.Clone(w.windows)
	w.mu.Unlock()
	for _, v := range all {
		if v.c.session == of {
			if err := v.unused(s); err != nil {
				return err
			}
		}
	}
	return nil
}

// lastBarrier waits for all ranks, or all live ranks, and reports whether all have
// come.
func (c *Comm) lastBarrier(s site) (whole bool, err error) {
	if c.failures == nil {
		return true, c.barrier(s, callFinalize)
	}
	votes, err := c.w.failures.agree(s.waits(), c.user, c.core, nil)
	if err != nil {
		return false, c.disagreed(s, err)
	}
	return len(votes) == c.size, nil
}

// finalize ends the use of all communicators of a session, or of the world. It reports
// whether there were any.
func (w *world) finalize(of *Session) (some bool) {
	w.mu.Lock()
	defer w.mu.Unlock()
	for c := range w.comms {
		if c.session == of {
			c.state.Store(commFinalized)
			delete(w.comms, c)
			turnDown(w.Transport, c.id) // not that of c: on the library of another MPI to drain it is a collective call
			some = true
		}
	}
	return some
}

// turnDown drops the messages on a communicator that nothing will receive any more, and tells the senders that wait for
// it: a send that was given up ends so, and need not be waited for.
func turnDown(t Transport, id contextID) {
	t.Drain(id.pointToPoint())
	t.Drain(id.partitioned())
}

// leave ends the use of MPI by the world or by a session; the last one of these closes
// the transport. In a process of its own, sessions may follow: there the transport is kept, in a
// state in which the process may end.
func (w *world) leave() error {
	w.parking.Lock()
	defer w.parking.Unlock()
	w.mu.Lock()
	w.users--
	last, over := w.users == 0, w.made
	w.mu.Unlock()
	if !last {
		return nil
	}
	w.arbiter.close(nil)
	w.departures.end()
	if w.failures != nil {
		w.failures.end()
	}
	if w.park != nil {
		return w.park(over)
	}
	err := w.Transport.Close()
	if w.release != nil {
		err = errors.Join(err, w.release())
	}
	return err
}

// unmet lists the partitioned requests that have not met their partners, if the transport is closed.
func (w *world) unmet() []*partitioned {
	w.mu.Lock()
	closed := w.users == 0
	w.mu.Unlock()
	if !closed {
		return nil
	}
	return w.partners.unmet()
}

// quantity is many with the number n in it, or one if that is 1.
func quantity(n int, one, many string) string {
	if n == 1 {
		return one
	}
	return fmt.Sprintf(many, n)
}

// leftOver returns the error of a rank that leaves requests and messages behind, or
// nil.
func (c *Comm) leftOver(s site, pending, untaken []string, unreceived []*unreceived, unmet []*partitioned) error {
	var texts []string
	if n := len(pending); n > 0 {
		texts = append(texts, quantity(n, "1 request was", "%d requests were")+" never completed; Wait for each, or Test it until it is done:"+listed(pending))
	}
	if n := len(untaken); n > 0 {
		texts = append(texts, quantity(n, "1 send whose request was freed was", "%d sends whose requests were freed were")+" never received; receive each, or do not send it:"+listed(untaken))
	}
	if n := len(unreceived); n > 0 {
		texts = append(texts, quantity(n, "1 message to this rank was", "%d messages to this rank were")+" never received; receive each, or do not send it:"+listed(unreceived))
	}
	if n := len(unmet); n > 0 {
		texts = append(texts, quantity(n, "1 partitioned request never met its", "%d partitioned requests never met their")+" partner; call PrecvInit for each PsendInit, with the same tag:"+listed(unmet))
	}
	if len(texts) == 0 {
		return nil
	}
	return c.errorAt(s, ErrPending, "%s", strings.Join(texts, "\nand "))
}

// listedLines is how much of a list is shown.
const listedLines = 8

// listed returns the first lines of a list.
func listed[T any](list []T) string {
	var text strings.Builder
	for i, l := range list {
		if i == listedLines {
			text.WriteString("\n\t...")
			break
		}
		fmt.Fprintf(&text, "\n\t%v", l)
	}
	return text.String()
}

// Abort ends the whole job with a status. 1 to 255 reach the system; others become 1.
// It does not return. c may be any communicator; with nil it ends this process, at which
// the launcher ends the others.
//
// MPI 4.1, section 11.4.2.
func Abort(c *Comm, status int) {
	if status < 1 || status > 255 {
		status = 1
	}
	if c.isNull() {
		os.Exit(status)
	}
	c.w.Abort(status)
	panic("mpi: Job.Abort returned")
}
