package mpi

import (
	"context"

	"rhinet/llc"
)

// Probe waits until a message of rank src (or AnySource) with tag (or AnyTag) can be
// received, and returns its status without receiving it; Count is in bytes (use [Count]
// for elements). A receive with the source and tag of the status matches this message,
// unless another goroutine receives it first.
//
// MPI 4.1, section 3.8.1.
func Probe(c *Comm, src, tag int) (_ Status, err error) {
	defer c.raised(&err)
	st, _, err := c.probe(site{"Probe", fromPeer, src, tag}, true)
	return st, err
}

// Iprobe is Probe without waiting; it reports whether there is a message.
//
// MPI 4.1, section 3.8.1.
func Iprobe(c *Comm, src, tag int) (Status, bool, error) {
	st, found, err := c.probe(site{"Iprobe", fromPeer, src, tag}, false)
	return st, found, c.raise(err)
}

func (c *Comm) probe(s site, block bool) (Status, bool, error) {
	if err := c.check(s); err != nil {
		return emptyStatus(), false, err
	}
	if err := c.checkRank(s, s.peer); err != nil {
		return emptyStatus(), false, err
	}
	if err := c.checkTag(s, s.tag); err != nil {
		return emptyStatus(), false, err
	}
	if s.peer == ProcNull {
		return nullStatus(), true, nil
	}
	from := llc.AnyPeer
	if s.peer != AnySource {
		from = c.global(s.peer)
	}
	m := c.w.begin()
	st, ok := c.probeFor(s, from, block)
	c.end(m, s.call)
	if !ok && c.failures != nil {
		if err := c.senderless(s, from); err != nil {
			return emptyStatus(), false, err
		}
	}
	if !ok && block {
		if err := c.check(s); err != nil {
			return emptyStatus(), false, err
		}
		if err := failure(c.t); err != nil {
			return emptyStatus(), false, c.because(s, ErrOther, err, "")
		}
		return emptyStatus(), false, c.because(s, ErrOther, errClosed, "")
	}
	if !ok {
		return emptyStatus(), false, nil
	}
	if st.Err != nil {
		return emptyStatus(), false, c.because(s, ErrOther, st.Err, "")
	}
	return Status{Source: c.local(st.Source), Tag: st.Tag, Count: int(st.Bytes), Bytes: st.Bytes}, true, nil
}

func (c *Comm) probeFor(s site, from int, block bool) (st llc.Status, ok bool) {
	switch {
	case !block:
		return c.t.Probe(c.id.pointToPoint(), from, s.tag)
	case c.ctx == nil:
		return c.t.ProbeUntil(s.call, c.id.pointToPoint(), from, s.tag, nil)
	}
	over := func() bool { return c.ctx.Err() != nil || c.failures != nil && c.failures.bereaved(from) }
	c.untilOver([]context.Context{c.ctx}, over, func(over func() bool) bool {
		st, ok = c.t.ProbeUntil(s.call, c.id.pointToPoint(), from, s.tag, over)
		return ok
	})
	return st, ok
}

// senderless returns the error of a probe that waits for a dead rank, or nil.
func (c *Comm) senderless(s site, from int) error {
	if from == llc.AnyPeer {
		if c.failures.isRevoked() {
			return c.limited(s, context.Cause(c.failures.revoked), "")
		}
		if cause := context.Cause(c.failures.fromAnyone()); cause != nil {
			return c.limited(s, cause, "")
		}
		return nil
	}
	if !c.w.failures.isDead(from) {
		return nil
	}
	return c.died(s, from)
}
