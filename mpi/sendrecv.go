package mpi

import "sync"

// Sendrecv sends one message and receives another at the same time, so that ranks can
// exchange messages in pairs or rings without deadlock. The two buffers must not
// overlap.
//
// MPI 4.1, section 3.2.7.
func Sendrecv[S, R any](c *Comm, send []S, dst, stag int, recv []R, src, rtag int) (Status, error) {
	if c != nil && c.direct != nil {
		out, in := recentElem[S](&c.w.elems), recentElem[R](&c.w.elems)
		if out != nil && in != nil && c.state.Load() == commOpen && c.w.Observe == nil && !overlap(view(send), view(recv)) && c.trySend(out, view(send), dst, stag, src, rtag) {
			return c.recvFor("Sendrecv", in, view(recv), src, rtag)
		}
	}
	to, from := pairOf("Sendrecv", dst, stag, src, rtag)
	if overlap(view(send), view(recv)) && src != ProcNull && dst != ProcNull {
		return emptyStatus(), c.raise(c.errorAt(to, ErrBuffer, "send and recv overlap; they must be apart"))
	}
	out, in := elemFor[S](c), elemFor[R](c)
	if err := c.checkPair(to, out, from, in); err != nil {
		return emptyStatus(), c.raise(err)
	}
	return c.sendrecv(to, out, view(send), from, in, view(recv))
}

// SendrecvReplace is Sendrecv with one buffer, whose elements are sent before the
// received ones replace them. A shorter message replaces the first ones.
//
// MPI 4.1, section 3.2.7.
func SendrecvReplace[T any](c *Comm, buf []T, dst, stag, src, rtag int) (_ Status, err error) {
	defer c.raised(&err)
	to, from := pairOf("SendrecvReplace", dst, stag, src, rtag)
	e := elemFor[T](c)
	if err := c.checkPair(to, e, from, e); err != nil {
		return emptyStatus(), err
	}
	in := view(buf)
	if e.items {
		sent, copied, err := c.packed(to, e, in)
		if err != nil {
			return emptyStatus(), err
		}
		return c.sendrecv(to, sent, copied, from, e, in)
	}
	out := c.w.spares.take(len(in))
	copy(out, in)
	st, err := c.sendrecv(to, e, out, from, e, in)
	if err == nil { // else the transport may still send it
		c.w.spares.keep(out)
	}
	return st, err
}

// pairOf returns the sites of the two halves of a call.
func pairOf(call string, dst, stag, src, rtag int) (to, from site) {
	return site{call, toPeer, dst, stag}, site{call, fromPeer, src, rtag}
}

// checkPair returns why one of two transfers cannot be made, or nil.
func (c *Comm) checkPair(to site, out *elem, from site, in *elem) error {
	if err := c.checkTransfer(to, out); err != nil {
		return err
	}
	return c.checkTransfer(from, in)
}

// sendrecv makes two checked transfers at the same time.
func (c *Comm) sendrecv(to site, out *elem, send []byte, from site, in *elem, recv []byte) (st Status, err error) {
	m := c.w.begin()
	if c.plain() && !out.items && !in.items && c.trySend(out, send, to.peer, to.tag, from.peer, from.tag) {
		st, err = c.recvFor(from.call, in, recv, from.peer, from.tag)
	} else {
		st, err = c.sendrecvLong(to, out, send, from, in, recv)
	}
	if seen := c.w.Observe; seen != nil {
		c.end(m, to.call)
		seen.Add(to.call, len(send)+int(st.Bytes))
	}
	return st, err
}

// sendrecvLong is sendrecv for a message that cannot be sent at once.
func (c *Comm) sendrecvLong(to site, out *elem, send []byte, from site, in *elem, recv []byte) (Status, error) {
	r, s := c.pair(to, out, send, from, in, recv)
	if _, err := s.Wait(); err != nil {
		r.withdraw()
		return emptyStatus(), err
	}
	st, err := r.Wait()
	c.quit(&r)
	return st, err
}

// pair begins two checked transfers. If the buffer to receive into is wrong, nothing is
// sent, and the request of the send is inactive.
func (c *Comm) pair(to site, out *elem, send []byte, from site, in *elem, recv []byte) (r, s Request) {
	if r = c.begin(from, in, recv, receiving); r.p.err == nil {
		s = c.begin(to, out, send, sending)
	}
	return r, s
}

// trySend sends the message of an exchange, if all of it can be sent at once and both
// halves name ordinary ranks and tags; else it returns false, and nothing has happened.
func (c *Comm) trySend(e *elem, b []byte, dst, stag, src, rtag int) bool {
	return uint(dst) < uint(c.size) && uint(src) < uint(c.size) && uint(stag) <= MaxTag && uint(rtag) <= MaxTag &&
		c.t.TrySend(c.keyTo(dst)|e.key, c.global(dst), stag, b)
}

// recvFor is a receive, already checked, that is part of call.
func (c *Comm) recvFor(call string, e *elem, b []byte, src, tag int) (Status, error) {
	st, err := c.t.RecvFor(call, c.key|e.key, c.global(src), tag, b)
	if n := int(st.Bytes); err != nil || n > len(b) || !e.whole(n) {
		st, err := c.received(site{callOf(call), fromPeer, src, tag}, e, st, err, len(b))
		return st, c.raise(err)
	}
	return Status{Source: src, Tag: st.Tag, Count: e.count(int(st.Bytes)), Bytes: st.Bytes}, nil
}

// spares is memory for messages that are copied before they are sent, so that their
// calls need not allocate each time.
type spares struct {
	mu   sync.Mutex
	free [][]byte
}

// sparesKept is how many buffers are kept, and largestSpare how long they may be.
const (
	sparesKept   = 8
	largestSpare = 1 << 20
)

// take returns n bytes, not cleared.
func (k *spares) take(n int) (b []byte) {
	k.mu.Lock()
	if last := len(k.free) - 1; last >= 0 {
		b, k.free = k.free[last], k.free[:last]
	}
	k.mu.Unlock()
	if cap(b) < n {
		b = make([]byte, n)
	}
	return b[:n]
}

// keep takes memory back.
func (k *spares) keep(b []byte) {
	k.mu.Lock()
	defer k.mu.Unlock()
	if len(k.free) < sparesKept && cap(b) > 0 && cap(b) <= largestSpare {
		k.free = append(k.free, b)
	}
}
