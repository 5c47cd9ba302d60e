package mpi

import (
	"cmp"
	"errors"

	"rhinet/llc"
)

// Send sends buf to rank dst of c. It returns when buf may be used again; for a long
// message, that is when the receiver has taken it.
//
// MPI 4.1, section 3.2.1.
func Send[T any](c *Comm, buf []T, dst, tag int) error {
	if c == nil || c.direct == nil {
		return sendIndirect(c, site{"Send", toPeer, dst, tag}, buf, llc.Standard)
	}
	b, k := view(buf), c.direct
	e := recentElem[T](&k.w.elems) // inlined, as elemOf is not
	if e == nil {
		if e = learn[T](&k.w.elems); e.bad != "" {
			return c.sendSlow(site{"Send", toPeer, dst, tag}, e, b, llc.Standard)
		}
	}
	if !k.reaches(dst, tag) {
		return c.sendSlow(site{"Send", toPeer, dst, tag}, e, b, llc.Standard)
	}
	if err := k.t.Send(k.keyTo(dst)|e.key, k.global(dst), tag, llc.Standard, b); err != nil {
		return c.raise(c.sendFailed(site{"Send", toPeer, dst, tag}, e, len(b), err))
	}
	return nil
}

// sendIndirect is a send on a communicator that a context limits, or that cannot be used.
func sendIndirect[T any](c *Comm, s site, buf []T, mode llc.Mode) error {
	if c.isNull() {
		return c.check(s)
	}
	return c.sendSlow(s, elemOf[T](&c.w.elems), view(buf), mode)
}

// reaches reports whether a send of elements that can travel can go to the transport
// directly, if no context limits it: the arguments are valid.
func (c *core) reaches(dst, tag int) bool {
	return c.state.Load() == commOpen && uint(dst) < uint(c.size) && uint(tag) <= MaxTag
}

// Ssend is Send that returns only when the matching receive has started.
//
// MPI 4.1, section 3.4 (synchronous mode).
func Ssend[T any](c *Comm, buf []T, dst, tag int) error {
	s := site{"Ssend", toPeer, dst, tag}
	if c == nil || c.direct == nil {
		return sendIndirect(c, s, buf, llc.Synchronous)
	}
	e := elemOf[T](&c.w.elems)
	if e.bad != "" || !c.reaches(dst, tag) {
		return c.sendSlow(s, e, view(buf), llc.Synchronous)
	}
	if err := c.t.Send(c.keyTo(dst)|e.key, c.global(dst), tag, llc.Synchronous, view(buf)); err != nil {
		return c.raise(c.sendFailed(s, e, len(buf), err))
	}
	return nil
}

// Recv receives a message of rank src of c, or of any rank (AnySource), with tag or
// with any tag (AnyTag), into buf, and returns its status. The message may be shorter
// than buf; a longer one fills buf and is ErrTruncate. A message of other elements than
// T is ErrType and is lost; bytes match any type.
//
// MPI 4.1, section 3.2.4.
func Recv[T any](c *Comm, buf []T, src, tag int) (Status, error) {
	if c == nil || c.direct == nil {
		return recvIndirect(c, site{"Recv", fromPeer, src, tag}, buf)
	}
	b, k := view(buf), c.direct
	e := recentElem[T](&k.w.elems)
	if e == nil {
		if e = learn[T](&k.w.elems); e.bad != "" {
			return c.recvSlow(site{"Recv", fromPeer, src, tag}, e, b)
		}
	}
	from, ok := k.awaits(src, tag)
	if !ok {
		return c.recvSlow(site{"Recv", fromPeer, src, tag}, e, b)
	}
	st, err := k.t.Recv(k.key|e.key, from, tag, b)
	n := int(st.Bytes)
	count := e.count(n)
	if err != nil || n > len(b) || n != count*e.size {
		st, err := c.received(site{"Recv", fromPeer, src, tag}, e, st, err, len(b))
		return st, c.raise(err)
	}
	return Status{Source: k.local(st.Source), Tag: st.Tag, Count: count, Bytes: st.Bytes}, nil
}

// recvIndirect is sendIndirect for a receive.
func recvIndirect[T any](c *Comm, s site, buf []T) (Status, error) {
	if c.isNull() {
		return emptyStatus(), c.check(s)
	}
	return c.recvSlow(s, elemOf[T](&c.w.elems), view(buf))
}

// awaits returns the peer from which a receive that no context limits gets a message of
// rank src; ok is false if an argument is invalid. The caller checks the elements.
func (c *core) awaits(src, tag int) (from int, ok bool) {
	if from = llc.AnyPeer; src != AnySource {
		if uint(src) >= uint(c.size) {
			return 0, false
		}
		from = c.global(src)
	}
	return from, c.state.Load() == commOpen && (uint(tag) <= MaxTag || tag == AnyTag)
}

// keyTo returns the key of point-to-point messages to rank dst.
func (c *core) keyTo(dst int) llc.Key {
	if c.ids == nil {
		return c.key
	}
	return c.ids[dst].key()
}

// typeError returns the type error in err, or nil.
func typeError(err error) *llc.TypeError {
	var e *llc.TypeError
	errors.As(err, &e)
	return e
}

// sendFailed words the failure of a send of n bytes, elements of e. An empty message is
// of any type (MPI 4.1, section 3.3.1: the type signatures are empty), so it has been
// received whatever the receiver wanted, and the result is nil.
func (c *Comm) sendFailed(s site, e *elem, n int, err error) error {
	if clash := touched(err); clash != nil {
		return c.touchError(s, clash)
	}
	switch other := typeError(err); {
	case other != nil && n == 0:
		return nil
	case other != nil:
		return c.errorAt(s, ErrType, "the message holds %s, and is received as %s; receive the type that was sent, or bytes",
			e.name, className(other.Want))
	case errors.Is(err, llc.ErrShut):
		return c.errorAt(s, ErrComm, "the receiver has freed the communicator, or called Finalize, and has not received the message")
	}
	return c.undone(s, err)
}

func (c *Comm) sendSlow(s site, e *elem, b []byte, mode llc.Mode) error {
	kind := sending
	if mode == llc.Synchronous {
		kind = sendingSync
	} else if e.items {
		if err, done := c.sendItems(s, b); done {
			return err
		}
	}
	r := c.start(s, e, b, kind)
	_, err := r.Wait()
	return err
}

func (c *Comm) recvSlow(s site, e *elem, b []byte) (Status, error) {
	if e.items {
		if st, err, done := c.recvItems(s, b); done {
			return st, err
		}
	}
	r := c.start(s, e, b, receiving)
	st, err := r.Wait()
	r.withdraw() // a receive from any rank may stay active after an error
	return st, err
}

// received turns the transport's result of a receive into a status and an error; room
// is the size of the buffer in bytes.
func (c *Comm) received(s site, e *elem, st llc.Status, err error, room int) (Status, error) {
	var other *llc.TypeError
	if err != nil {
		if clash := touched(err); clash != nil {
			out, err := c.received(s, e, st, nil, room)
			return out, cmp.Or(err, c.touchError(s, clash))
		}
		other = typeError(err)
	}
	if other != nil && st.Bytes == 0 {
		err, other = nil, nil // an empty message is of any type
	}
	switch {
	case err == nil, other != nil:
	case errors.Is(err, llc.ErrShut):
		return emptyStatus(), c.errorAt(s, ErrComm, "the communicator was freed while the receive waited")
	case errors.Is(err, llc.ErrCancelled):
		return cancelledStatus(), nil // by Request.Cancel, the only one that cancels
	case st.Bytes <= int64(room):
		return emptyStatus(), c.undone(s, err)
	}
	out := Status{Source: c.local(st.Source), Tag: st.Tag, Bytes: st.Bytes, Count: e.number(int(st.Bytes))}
	s.peer, s.tag = out.Source, out.Tag
	if other != nil {
		out.Count = 0
		err := c.errorAt(s, ErrType, "%s", mistypedText(other.Sent, e))
		err.Bytes, err.Room = st.Bytes, int64(room)
		return out, err
	}
	if st.Bytes > int64(room) {
		out.Count = e.number(room)
		err := c.errorAt(s, ErrTruncate, "%d bytes do not fit %d; use a larger buffer or Probe", st.Bytes, room)
		err.Bytes, err.Room = st.Bytes, int64(room)
		return out, err
	}
	if int(st.Bytes)%e.size != 0 {
		err := c.errorAt(s, ErrType, "%d bytes are not a whole number of %s (%d bytes each); receive the type that was sent",
			st.Bytes, e.name, e.size)
		err.Bytes, err.Room = st.Bytes, int64(room)
		return out, err
	}
	return out, nil
}
