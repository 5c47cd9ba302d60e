package mpi

import (
	"rhinet/llc"
)

// A Request is a nonblocking operation: a transfer that Isend, Issend or Irecv began,
// or the result of another call that returns a Request. Complete it once, with Wait,
// Test, WaitAll or WaitAny. Then it is inactive, like a nil Request, and completing it
// again returns an empty status at once. The buffer belongs to the operation until it
// is complete. Only one goroutine may use a Request at a time. Finalize reports
// requests that were never completed.
//
// A Request is a handle that may be copied, and completed by one of the copies:
// handles[i] = *Isend(...) begins many transfers without allocating.
//
// MPI 4.1, section 3.7.
type Request struct {
	p      *transfer
	gen    uint64  // generation of p, when it was handed out
	handle *handle // of a persistent request, which has the transfer, or of one that is watched; else nil
}

// Isend begins to send buf to rank dst of c. An error of the call is returned when the
// request is completed.
//
// MPI 4.1, section 3.7.2.
func Isend[T any](c *Comm, buf []T, dst, tag int) *Request {
	// Small enough to be inlined, so that a request that does not escape from the
	// caller is on the caller's stack.
	r := isend(c, buf, dst, tag)
	return &r
}

// Issend is Isend in synchronous mode: it is complete only when the matching receive
// has started.
//
// MPI 4.1, section 3.7.2.
func Issend[T any](c *Comm, buf []T, dst, tag int) *Request {
	r := start(c, "Issend", buf, dst, tag, sendingSync)
	return &r
}

// Irecv begins to receive a message of rank src of c, or AnySource, with tag, or
// AnyTag, into buf.
//
// MPI 4.1, section 3.7.2.
func Irecv[T any](c *Comm, buf []T, src, tag int) *Request {
	r := irecv(c, buf, src, tag)
	return &r
}

// isend is the generic half of Isend.
func isend[T any](c *Comm, buf []T, dst, tag int) Request {
	if c != nil && c.direct != nil {
		if e := recentElem[T](&c.direct.w.elems); e != nil {
			if r := c.isend(e, view(buf), dst, tag); r.p != nil {
				return r
			}
		}
	}
	return start(c, "Isend", buf, dst, tag, sending)
}

// irecv is the generic half of Irecv.
func irecv[T any](c *Comm, buf []T, src, tag int) Request {
	if c != nil && c.direct != nil {
		if e := recentElem[T](&c.direct.w.elems); e != nil {
			if r := c.irecv(e, view(buf), src, tag); r.p != nil {
				return r
			}
		}
	}
	return start(c, "Irecv", buf, src, tag, receiving)
}

// isend has the transport begin a send that no context limits and takes a transfer for
// it, in the common case; else the Request is inactive, and nothing has happened. The
// elements must be able to travel: see recentElem.
func (c *Comm) isend(e *elem, b []byte, dst, tag int) Request {
	if c.state.Load() != commOpen || uint(dst) >= uint(c.size) || uint(tag) > MaxTag {
		return Request{}
	}
	r, all := c.t.Isend(&c.w.requests.Spares, c.keyTo(dst)|e.key, c.global(dst), tag, b)
	if r == nil {
		return Request{}
	}
	p := r.Owner.(*transfer)
	p.phase = handed
	if all {
		p.phase = gone
	}
	p.c, p.elem, p.site.call = c, e, "Isend"
	p.kind, p.site.role, p.site.peer, p.site.tag = sending, toPeer, dst, tag
	if c.w.Debug {
		return p.watched()
	}
	return Request{p: p, gen: p.gen}
}

// irecv is isend for a receive.
func (c *Comm) irecv(e *elem, b []byte, src, tag int) Request {
	if c.state.Load() != commOpen || uint(src) >= uint(c.size) || uint(tag) > MaxTag {
		return Request{}
	}
	r := c.t.Irecv(&c.w.requests.Spares, c.key|e.key, c.global(src), tag, b)
	if r == nil {
		return Request{}
	}
	p := r.Owner.(*transfer)
	p.c, p.elem, p.site.call = c, e, "Irecv"
	p.kind, p.phase, p.site.role, p.site.peer, p.site.tag = receiving, handed, fromPeer, src, tag
	if c.w.Debug {
		return p.watched()
	}
	return Request{p: p, gen: p.gen}
}

// plain reports whether c is open and no context limits it.
func (c *Comm) plain() bool { return c.state.Load() == commOpen && c.ctx == nil }

// start is the generic half of starting a transfer.
func start[T any](c *Comm, call string, buf []T, peer, tag int, k kind) Request {
	s := site{call, toPeer, peer, tag}
	if k == receiving {
		s.role = fromPeer
	}
	if c.isNull() {
		return Request{p: &transfer{site: s, err: c.check(s)}}
	}
	return c.start(s, elemOf[T](&c.w.elems), view(buf), k)
}

// start checks a transfer and passes it to the transport.
func (c *Comm) start(s site, e *elem, b []byte, k kind) Request {
	if c.state.Load() != commOpen || c.ctx != nil || e.bad != "" || uint(s.peer) >= uint(c.size) || uint(s.tag) > MaxTag || c.w.Forgotten != nil {
		return c.startSlow(s, e, b, k)
	}
	return c.hand(s, e, b, nil, k)
}

// startSlow is start in uncommon cases.
func (c *Comm) startSlow(s site, e *elem, b []byte, k kind) Request {
	if err := c.checkTransfer(s, e); err != nil {
		return Request{p: &transfer{c: c, site: s, err: err}}
	}
	r := c.begin(s, e, b, k)
	if c.w.Forgotten != nil {
		r = c.watch(r)
	}
	return r
}

// begin passes a checked transfer to the transport.
func (c *Comm) begin(s site, e *elem, b []byte, k kind) Request {
	if !e.items {
		return c.hand(s, e, b, nil, k)
	}
	e, b, in, err := c.spread(s, b, k == receiving)
	if err != nil {
		return Request{p: &transfer{c: c, site: s, err: err}}
	}
	return c.hand(s, e, b, in, k)
}

// hand is begin of b, or of in if that is not nil.
func (c *Comm) hand(s site, e *elem, b []byte, in *body, k kind) Request {
	p := c.w.requests.take(c.w.Debug)
	p.c, p.elem, p.site, p.kind = c, e, s, k
	p.null = s.peer == ProcNull
	if !p.null {
		p.Peer, p.Tag, p.Buf, p.Mode = s.peer, s.tag, b, llc.Standard
		key := c.key
		if s.peer >= 0 {
			p.Peer = c.global(s.peer)
			if k != receiving {
				key = c.keyTo(s.peer)
			}
		}
		key |= e.key
		p.Context, p.Type = key.Context(), key.Type()
		if k == sendingSync {
			p.Mode = llc.Synchronous
		}
		if in != nil {
			p.lay(in)
		}
		p.Label = p.site.waits()
		if c.w.Check {
			c.w.requests.guard(p)
		}
		c.t.Start(&p.Request, k != receiving)
	}
	return Request{p: p, gen: p.gen}
}

func (c *Comm) checkTransfer(s site, e *elem) error {
	if err := c.check(s); err != nil {
		return err
	}
	if e.bad != "" && !e.items {
		return c.errorAt(s, ErrType, "an element of type %s %s; send numbers, bool, or arrays and flat structs of them", e.name, e.bad)
	}
	if err := c.checkRank(s, s.peer); err != nil {
		return err
	}
	return c.checkTag(s, s.tag)
}

// active returns the transfer of r, or nil if there is none.
func (r *Request) active() *transfer {
	if r == nil {
		return nil
	}
	for k := r.repeated(); k != nil; k = r.repeated() {
		r = &k.current
	}
	if r.p == nil || r.p.gen != r.gen {
		return nil
	}
	return r.p
}

// ended makes r inactive.
func (r *Request) ended() {
	for k := r.repeated(); k != nil; k = r.repeated() {
		r = &k.current
	}
	r.p = nil
}

// Wait waits until the operation is complete, and returns the status of a receive.
//
// MPI 4.1, section 3.7.3.
func (r *Request) Wait() (Status, error) { return r.wait("") }

// wait is Wait. Reports show a wait for a task as one in the call many, which waits for
// several requests and counts itself; empty: in Wait. See waitIn.
func (r *Request) wait(many string) (Status, error) {
	p := r.active()
	if p == nil {
		return emptyStatus(), nil
	}
	if p.phase == gone {
		r.ended()
		k := &p.c.w.requests
		var err error
		if !k.retire(p) {
			err = p.raise(p.unguard())
			k.retire(p)
		}
		k.Put(&p.Request, &p.Request)
		return emptyStatus(), err
	}
	gen := p.gen
	if p.phase == kept {
		p.phase = begun // complete already
	} else if p.started() {
		if p.c.ctx != nil {
			if err := p.waitContext(); err != nil {
				_ = p.raise(err)
				if goesOn(err) {
					return emptyStatus(), err
				}
				if !p.claim(gen) {
					return emptyStatus(), errOtherWaits()
				}
				r.ended()
				p.release()
				return emptyStatus(), err
			}
		} else {
			p.c.t.Wait(&p.Request)
		}
	} else if p.task != nil {
		m := p.c.w.begin()
		if p.call(many); many == "" {
			p.c.end(m, "Wait")
		} else {
			p.c.drop(m)
		}
	}
	if !p.claim(gen) {
		return emptyStatus(), errOtherWaits()
	}
	r.ended()
	return p.finish()
}

// errOtherWaits returns the error of a Wait during which another goroutine completed the request.
func errOtherWaits() error {
	var none *Comm
	return none.errorAt(at("Wait"), ErrRequest, "another goroutine completed the request meanwhile; let one goroutine wait for it, and the others for that one")
}

// Test completes the request if the operation is complete, and reports whether it did.
// It does not wait.
//
// MPI 4.1, section 3.7.3.
func (r *Request) Test() (Status, bool, error) {
	p := r.active()
	if p == nil {
		return emptyStatus(), true, nil
	}
	if !p.ready() {
		return emptyStatus(), false, p.raise(p.failurePending())
	}
	r.ended()
	st, err := p.finish()
	return st, true, err
}

// withdraw gives up a receive whose caller does not want it any more.
func (r *Request) withdraw() {
	if p := r.active(); p != nil {
		r.ended()
		if !p.started() || p.c.t.Cancel(&p.Request) || p.c.t.Test(&p.Request) {
			p.release()
		} else {
			p.abandon()
		}
	}
}
