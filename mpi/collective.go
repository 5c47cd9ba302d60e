package mpi

import (
	"context"
	"errors"
	"fmt"

	"rhinet/collectives"
)

// Barrier returns when all ranks of c have called it.
//
// MPI 4.1, section 6.3.
func Barrier(c *Comm) error {
	return c.barrier(at("Barrier"), callBarrier)
}

func (c *Comm) barrier(s site, k callCode) error {
	if err := c.enter(s, nil); err != nil {
		return err
	}
	c.coll.sign(makeSign(k, 0, 0), 0)
	if c.inter != nil {
		return c.leave(s, c.interBarrier())
	}
	return c.leave(s, c.coll.barrier())
}

// Bcast copies buf from root to every rank of c. The length must be the same on all
// ranks.
//
// MPI 4.1, section 6.4.
func Bcast[T any](c *Comm, buf []T, root int) error {
	s := atRoot("Bcast", root)
	e := elemFor[T](c)
	if err := c.enter(s, e); err != nil {
		if isItems(err) {
			return c.raise(bcastItems(c, s, itemsOf(buf), root))
		}
		return err
	}
	if c.inter != nil {
		return c.leave(s, c.interBcast(e, view(buf), root))
	}
	b := view(buf)
	c.coll.signRooted(makeRootedSign(callBcast, e.code, 0, root), len(b))
	return c.leave(s, c.coll.bcast(b, root))
}

// elemFor is elemOf for a communicator that may be nil, or a zero one.
func elemFor[T any](c *Comm) *elem {
	if c.isNull() {
		return nil
	}
	return elemOf[T](&c.w.elems)
}

// enter makes the checks of all collective calls and takes the communicator's
// collective lock, which leave releases. e is nil for calls without data.
func (c *Comm) enter(s site, e *elem) error {
	if c == nil || c.direct == nil || c.state.Load() != commOpen || c.failures != nil || c.strange(s) || e != nil && e.bad != "" {
		if err := c.refuse(s, e); err != nil {
			if isItems(err) {
				return err // the caller handles items
			}
			return c.raise(err)
		}
	}
	if !c.coll.mu.TryLock() {
		if err := c.coll.await(c, s); err != nil {
			return c.raise(err)
		}
	}
	if c.state.Load() != commOpen {
		c.coll.mu.Unlock()
		return c.raise(c.over(s))
	}
	c.coll.begin(s.call, c.whole)
	if c.w.Observe != nil && c.coll.counts(s.call) {
		c.coll.begun = c.w.Observe.Begin()
	}
	if c.launch != nil {
		c.launch.divert(&c.coll)
	}
	return nil
}

// strange reports whether s names a root that does not exist.
func (c *Comm) strange(s site) bool {
	return s.role == rootPeer && uint(s.peer) >= uint(c.size) && c.inter == nil
}

// refuse returns what speaks against a call, or nil.
func (c *Comm) refuse(s site, e *elem) error {
	if err := c.check(s); err != nil {
		return err
	}
	if c.strange(s) {
		return c.errorAt(s, ErrRoot, "there is no rank %d; ranks are 0 to %d", s.peer, c.size-1)
	}
	if e != nil && e.bad != "" {
		err := c.badElem(s, e)
		err.items = e.items
		return err
	}
	if c.failures != nil {
		if err := context.Cause(c.whole); err != nil {
			return c.limited(s, err, "the context has ended")
		}
	}
	return nil
}

// over says why a communicator that is not open takes no call.
func (c *Comm) over(s site) error {
	if err := c.check(s); err != nil { // freed while this call waited for another
		return err
	}
	if c.coll.history.told() {
		return c.told(s, c.coll.history.verdict.Load())
	}
	return c.errorAt(s, ErrComm, "an earlier collective call ended half-way, so the ranks no longer agree; use a duplicate made before")
}

// leave ends what enter began.
func (c *Comm) leave(s site, err error) error {
	call := s.call
	if c.launch != nil {
		if !c.launch.direct {
			call = c.launch.call
		}
		c.launch.restore(&c.coll)
	}
	if c.w.Observe != nil && c.coll.counts(call) {
		c.end(c.coll.begun, call)
	}
	return c.yield(s, err)
}

// yield is leave of a call that goes on, and is counted at its end.
func (c *Comm) yield(s site, err error) error {
	if err == nil && c.coll.clash == nil {
		c.coll.mu.Unlock()
		return nil
	}
	err = c.coll.clashed(err)
	if errors.Is(err, ErrCancelled) || c.coll.t.broken != nil {
		c.state.CompareAndSwap(commOpen, commBroken)
	}
	err = c.failed(s, c.coll.t.note.Turn, err)
	c.coll.mu.Unlock()
	return c.raise(err)
}

// explain words the failure of a collective call.
func (c *Comm) explain(s site, err error) error {
	var inner *Error
	var length *collectives.LengthError
	if errors.As(err, &length) {
		inner = c.otherLength(int64(length.Got), int64(length.Want), length.From)
	} else if !errors.As(err, &inner) {
		return c.because(s, c.lost(err), err, "")
	}
	e := c.because(s, inner.Class, inner.Err, inner.text)
	e.Bytes, e.Room = inner.Bytes, inner.Room
	return e
}

// otherLength is the error of a part of a collective call that has not the expected
// length, and came from a rank of c. On an inter-communicator it does not say from which:
// there are two of each number.
func (c *core) otherLength(sent, room int64, from int) *Error {
	source := fmt.Sprintf(" from rank %d", from)
	if c.inter != nil {
		source = ""
	}
	return &Error{Class: ErrTruncate, Bytes: sent, Room: room,
		text: fmt.Sprintf("%d bytes arrived%s where %d belong; all ranks must call it with the same lengths", sent, source, room)}
}

// cease releases the lock of a call that does not take place.
func (c *Comm) cease() {
	if c.launch != nil {
		c.launch.restore(&c.coll)
	}
	c.coll.mu.Unlock()
}

// fail ends what enter began with a mistake of the caller.
func (c *Comm) fail(s site, class Class, format string, args ...any) error {
	c.cease()
	return c.raise(c.errorAt(s, class, format, args...))
}
