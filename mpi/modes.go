package mpi

import "errors"

// Rsend is Send in ready mode: the receive must have been posted already, else the
// program is erroneous. Here this gives no advantage: it is carried out as Send.
//
// MPI 4.1, section 3.4 (ready mode).
func Rsend[T any](c *Comm, buf []T, dst, tag int) error {
	r := start(c, "Rsend", buf, dst, tag, sending)
	_, err := r.Wait()
	return err
}

// Irsend is Isend in ready mode: see [Rsend].
//
// MPI 4.1, section 3.7.2.
func Irsend[T any](c *Comm, buf []T, dst, tag int) *Request {
	r := start(c, "Irsend", buf, dst, tag, sending)
	return &r
}

// Bsend copies buf to the attached buffer and returns, whether a receive has been
// posted or not: see [Comm.AttachBuffer] and [BufferAttach]. If the buffer has no room,
// it fails with ErrBuffer and sends nothing.
//
// MPI 4.1, section 3.4 (buffered mode).
func Bsend[T any](c *Comm, buf []T, dst, tag int) error {
	_, err := bufferedSend(c, "Bsend", buf, dst, tag).Wait()
	return err
}

// Ibsend is Isend in buffered mode. It is complete at once.
//
// MPI 4.1, section 3.7.2.
func Ibsend[T any](c *Comm, buf []T, dst, tag int) *Request {
	return bufferedSend(c, "Ibsend", buf, dst, tag)
}

func bufferedSend[T any](c *Comm, call string, buf []T, dst, tag int) *Request {
	s, e := site{call, toPeer, dst, tag}, elemFor[T](c)
	if err := c.checkTransfer(s, e); err != nil {
		return c.failedRequest(s, err)
	}
	r := c.buffered(s, e, view(buf))
	return &r
}

// buffered sends a copy of b. The request is complete.
func (c *Comm) buffered(s site, e *elem, b []byte) Request {
	k := newTask()
	k.cancel = func() error { return nil } // it is complete
	var clash *touchError
	if s.peer != ProcNull && c.w.requests.guarding() {
		clash = c.w.requests.touch(c.regionAt(s, e, b, false))
	}
	e, b, err := c.packed(s, e, b)
	if err == nil && s.peer != ProcNull {
		err = c.bufferFor().send(c, s, e, b)
	}
	if clash != nil && err == nil {
		err = c.touchError(s, clash)
	}
	k.end(emptyStatus(), err)
	return c.request(s, k)
}

// bufferFor returns the buffer that sends on c use.
func (c *Comm) bufferFor() *sendBuffer {
	if c.buffer.attached() {
		return &c.buffer
	}
	if c.session != nil && c.session.buffer.attached() {
		return &c.session.buffer
	}
	return &c.w.buffer
}

// AttachBuffer attaches a buffer to c for sends in buffered mode. Each message takes
// its bytes and at most [BsendOverhead] more until it is sent. With a nil buffer the
// library allocates memory for each message, without limit; with one of no bytes that
// is not nil, c goes on without a buffer.
//
// MPI 4.1, section 3.6 (MPI_Comm_attach_buffer, MPI_BUFFER_AUTOMATIC).
func (c *Comm) AttachBuffer(buf []byte) (err error) {
	defer c.raised(&err)
	s := at("AttachBuffer")
	if err := c.check(s); err != nil {
		return err
	}
	return c.buffer.attach(c, s, buf)
}

// DetachBuffer waits until all messages in the buffer of c are sent, and returns the
// buffer: nil if the library allocated it, and one of no bytes that is not nil if none
// was attached. A library that needs a buffer of its own so restores by
// [Comm.AttachBuffer] what was there before.
//
// MPI 4.1, section 3.6 (MPI_Comm_detach_buffer).
func (c *Comm) DetachBuffer() (_ []byte, err error) {
	defer c.raised(&err)
	if err := c.check(at("DetachBuffer")); err != nil {
		return nil, err
	}
	return c.buffer.detach(c, "DetachBuffer")
}

// FlushBuffer waits until all messages that the buffer of c holds are sent.
//
// MPI 4.1, section 3.6 (MPI_Comm_flush_buffer).
func (c *Comm) FlushBuffer() (err error) {
	defer c.raised(&err)
	if err := c.check(at("FlushBuffer")); err != nil {
		return err
	}
	return c.buffer.flush(c, "FlushBuffer", c.buffer.last())
}

// IflushBuffer begins [Comm.FlushBuffer] and does not wait.
//
// MPI 4.1, section 3.6 (MPI_Comm_iflush_buffer).
func (c *Comm) IflushBuffer() *Request { return c.iflush(at("IflushBuffer"), false) }

// BufferAttach is [Comm.AttachBuffer] for all communicators of the process that have no
// buffer of their own. c may be any communicator.
//
// MPI 4.1, section 3.6 (MPI_Buffer_attach).
func BufferAttach(c *Comm, buf []byte) (err error) {
	defer c.raised(&err)
	s := at("BufferAttach")
	if err := c.check(s); err != nil {
		return err
	}
	return c.w.buffer.attach(c, s, buf)
}

// BufferDetach is [Comm.DetachBuffer] for the process's buffer.
//
// MPI 4.1, section 3.6 (MPI_Buffer_detach).
func BufferDetach(c *Comm) (_ []byte, err error) {
	defer c.raised(&err)
	if err := c.check(at("BufferDetach")); err != nil {
		return nil, err
	}
	return c.w.buffer.detach(c, "BufferDetach")
}

// BufferFlush is [Comm.FlushBuffer] for the process's buffer.
//
// MPI 4.1, section 3.6 (MPI_Buffer_flush).
func BufferFlush(c *Comm) (err error) {
	defer c.raised(&err)
	if err := c.check(at("BufferFlush")); err != nil {
		return err
	}
	return c.w.buffer.flush(c, "BufferFlush", c.w.buffer.last())
}

// BufferIflush begins [BufferFlush] and does not wait.
//
// MPI 4.1, section 3.6 (MPI_Buffer_iflush).
func BufferIflush(c *Comm) *Request { return c.iflush(at("BufferIflush"), true) }

func (c *Comm) iflush(s site, process bool) *Request {
	if err := c.check(s); err != nil {
		return c.failedRequest(s, err)
	}
	b := &c.buffer
	if process {
		b = &c.w.buffer
	}
	return c.flushing(s, b)
}

// flushing returns a request that completes when all messages in b are sent.
func (c *Comm) flushing(s site, b *sendBuffer) *Request {
	k, last := newTask(), b.last()
	label := c.unattended("Wait")
	c.attend(k, func() (Status, error) { return emptyStatus(), b.flush(c, label, last) })
	r := c.request(s, k)
	return &r
}

// Isendrecv begins [Sendrecv]. It is complete when both transfers are complete.
//
// MPI 4.1, section 3.7.2.
func Isendrecv[S, R any](c *Comm, send []S, dst, stag int, recv []R, src, rtag int) *Request {
	to, from := pairOf("Isendrecv", dst, stag, src, rtag)
	if overlap(view(send), view(recv)) && src != ProcNull && dst != ProcNull {
		return c.failedRequest(to, c.errorAt(to, ErrBuffer, "send and recv overlap; they must be apart, or use IsendrecvReplace"))
	}
	out, in := elemFor[S](c), elemFor[R](c)
	if err := c.checkPair(to, out, from, in); err != nil {
		return c.failedRequest(to, err)
	}
	return c.both(to, out, view(send), from, in, view(recv))
}

// IsendrecvReplace begins [SendrecvReplace].
//
// MPI 4.1, section 3.7.2.
func IsendrecvReplace[T any](c *Comm, buf []T, dst, stag, src, rtag int) *Request {
	to, from := pairOf("IsendrecvReplace", dst, stag, src, rtag)
	e := elemFor[T](c)
	if err := c.checkPair(to, e, from, e); err != nil {
		return c.failedRequest(to, err)
	}
	in := view(buf)
	out, copied, err := c.packed(to, e, in)
	if err != nil {
		return c.failedRequest(to, err)
	}
	if !e.items {
		copied = append([]byte(nil), in...)
	}
	return c.both(to, out, copied, from, e, in)
}

// both begins two checked transfers that are complete together.
func (c *Comm) both(to site, out *elem, send []byte, from site, in *elem, recv []byte) *Request {
	r, s := c.pair(to, out, send, from, in, recv)
	if s.p == nil {
		return &r
	}
	c.disown(r.p)
	c.disown(s.p)
	k := newTask()
	all := c.request(to, k)
	if c.w.Check {
		c.w.requests.guardInstead(all.p, r.p, s.p)
	}
	finish := func() (Status, error) {
		if _, err := s.Wait(); err != nil {
			r.withdraw()
			return emptyStatus(), err
		}
		st, err := r.Wait()
		return st, errors.Join(err)
	}
	if r.p.ready() && s.p.ready() {
		k.end(finish())
	} else {
		r.label(c.unattended(to.call))
		s.label(c.unattended(to.call))
		c.attend(k, finish)
	}
	return &all
}
