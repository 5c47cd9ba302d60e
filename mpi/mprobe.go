package mpi

import (
	"sync/atomic"

	"rhinet/internal/callsite"
	"rhinet/llc"
)

// A Message is a message that Mprobe or Improbe has matched: no other receive can match
// it, and it must be received with Mrecv or Imrecv.
//
// MPI 4.1, section 3.8.2.
type Message struct {
	c      *Comm
	site   site
	null   bool // from ProcNull
	from   int  // world rank
	handle int
	used   atomic.Bool
	bytes  int64
	made   *callsite.Line // that matched it, if the world is in debug mode
}

// Mprobe waits for a message like [Probe] and matches it: no other receive or probe can
// match it, also of other goroutines. It must be received with [Mrecv] or [Imrecv].
//
// MPI 4.1, section 3.8.2.
func Mprobe(c *Comm, src, tag int) (_ *Message, _ Status, err error) {
	defer c.raised(&err)
	s := site{"Mprobe", fromPeer, src, tag}
	if err := c.carried(s); err != nil {
		return nil, emptyStatus(), err
	}
	for {
		if st, found, err := c.probe(s, true); err != nil || !found || src == ProcNull {
			return c.matchedNull(s, err), st, err
		}
		if m, st, found := c.match(s); found { // else another goroutine has taken it
			return m, st, nil
		}
	}
}

// Improbe is [Mprobe] without waiting; it reports whether there is a message.
//
// MPI 4.1, section 3.8.2.
func Improbe(c *Comm, src, tag int) (_ *Message, _ Status, _ bool, err error) {
	defer c.raised(&err)
	s := site{"Improbe", fromPeer, src, tag}
	if err := c.carried(s); err != nil {
		return nil, emptyStatus(), false, err
	}
	st, found, err := c.probe(s, false)
	if err != nil || !found {
		return nil, st, false, err
	}
	if src == ProcNull {
		return c.matchedNull(s, nil), st, true, nil
	}
	m, st, found := c.match(s)
	return m, st, found, nil
}

// matchedNull returns the message of ProcNull, or nil after an error.
func (c *Comm) matchedNull(s site, err error) *Message {
	if err != nil {
		return nil
	}
	return &Message{c: c, site: s, null: true}
}

// match takes a message that a probe may just have found.
func (c *Comm) match(s site) (*Message, Status, bool) {
	from := llc.AnyPeer
	if s.peer != AnySource {
		from = c.global(s.peer)
	}
	handle := int(c.w.matched.Add(1) & MaxTag)
	st, ok := c.t.Match(c.id.pointToPoint(), from, s.tag, matchedContext, handle)
	if !ok {
		return nil, emptyStatus(), false
	}
	out := Status{Source: c.local(st.Source), Tag: st.Tag, Count: int(st.Bytes), Bytes: st.Bytes}
	s.peer, s.tag = out.Source, out.Tag
	m := &Message{c: c, site: s, from: st.Source, handle: handle, bytes: st.Bytes}
	if c.w.Check {
		m.made = c.w.requests.lines.Caller()
		c.w.probed.add(m)
	}
	return m, out, true
}

// Mrecv receives a message that a probe has matched into buf, like [Recv]. A message
// can be received only once, also after its communicator has been freed.
//
// MPI 4.1, section 3.8.3.
func Mrecv[T any](m *Message, buf []T) (Status, error) {
	r := receiveMatched(m, "Mrecv", buf)
	return r.Wait()
}

// Imrecv is [Mrecv] without waiting.
//
// MPI 4.1, section 3.8.3.
func Imrecv[T any](m *Message, buf []T) *Request {
	r := receiveMatched(m, "Imrecv", buf)
	return &r
}

func receiveMatched[T any](m *Message, call string, buf []T) Request {
	var none *Comm
	if m == nil {
		return Request{p: &transfer{err: none.errorAt(at(call), ErrRequest, "the message is nil; match one with Mprobe or Improbe")}}
	}
	if m.c == nil {
		return Request{p: &transfer{err: none.errorAt(at(call), ErrRequest, "the message is a zero Message; match one with Mprobe or Improbe")}}
	}
	s, e := m.site, elemFor[T](m.c)
	s.call = call
	if err := m.c.check(s); err != nil && m.c.state.Load() != commFreed { // Free leaves messages that are matched alone
		return *m.c.failedRequest(s, err)
	}
	if e.bad != "" && !e.items {
		return *m.c.failedRequest(s, m.c.checkTransfer(s, e))
	}
	if m.used.Swap(true) {
		return *m.c.failedRequest(s, m.c.errorAt(s, ErrRequest, "the message has been received already; probe for the next one"))
	}
	if m.c.w.Check {
		m.c.w.probed.remove(m)
	}
	if m.null {
		s.peer = ProcNull
		return m.c.begin(s, e, nil, receiving)
	}
	return m.receive(s, e, view(buf))
}

// receive is begin for a receive that only the message matches.
func (m *Message) receive(s site, e *elem, b []byte) Request {
	var in *body
	if e.items {
		var err error
		if e, b, in, err = m.c.spread(s, b, true); err != nil {
			return *m.c.failedRequest(s, err)
		}
	}
	p := m.c.w.requests.take(m.c.w.Debug)
	p.c, p.elem, p.site, p.kind, p.null = m.c, e, s, receiving, false
	p.Peer, p.Tag, p.Buf, p.Mode = m.from, m.handle, b, llc.Standard
	p.Context, p.Type, p.Label = matchedContext, (m.c.key | e.key).Type(), p.site.waits()
	if in != nil {
		p.lay(in)
	}
	if m.c.w.Check {
		m.c.w.requests.guard(p)
	}
	m.c.t.Start(&p.Request, false)
	return Request{p: p, gen: p.gen}
}
