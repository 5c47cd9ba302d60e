package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/match"
	"rhinet/llc/wire"
)

// A waiting is the kind of a message that waits for a receive.
type waiting uint8

const (
	waitingEager waiting = iota + 1 // its bytes are, or will be, in buf
	waitingRTS                      // its bytes are with the sender
	waitingSelf                     // its bytes are in the buffer of a send to this peer itself
)

// A message waits for a receive.
type message struct {
	entry   match.Message[message]
	next    *message // in the pool
	kind    waiting
	peer    int32
	tag     int32
	size    uint64
	id      uint32 // eager: to be acknowledged; offer: the sender's id
	typ     uint32
	segment ir.Segment // offer
	layout  wire.Layout
	self    *Request // self
	buf     []byte   // eager
	got     int      // eager: bytes that have arrived
	small   [smallBuffer]byte
}

// accept gives a waiting message, already out of its queues, to a receive.
func (e *Engine) accept(r *Request, m *message) {
	p := &e.peers[m.peer]
	switch m.kind {
	case waitingEager:
		if !fits(m.typ, r.Type, m.id != 0) {
			if m.id != 0 {
				e.turnDown(p, wire.Ack, m.id, r.Type)
			}
			if p.in.m == m {
				p.in.m = nil
			}
			e.mistyped(r, m.peer, m.tag, m.size, m.typ)
			break
		}
		r.Scatter(m.buf[:m.got], 0)
		if m.id != 0 {
			e.control(p, header(wire.Ack, uint64(m.id)), nil)
		}
		if p.in.m == m {
			p.in.m, p.in.r = nil, r
		} else {
			e.received(r, m.peer, m.tag, m.size)
		}
	case waitingRTS:
		e.receiveOffered(p, r, m.tag, m.size, m.segment, m.layout, m.id, m.typ)
	case waitingSelf:
		if !fits(m.typ, r.Type, false) {
			e.fail(m.self, &TypeError{m.typ, r.Type})
			e.mistyped(r, m.peer, m.tag, m.size, m.typ)
			break
		}
		e.hand(r, m.self)
		e.sent(m.self)
		e.received(r, m.peer, m.tag, m.size)
	}
	e.pool.keepMessage(m)
}

// startSelf sends to this peer itself, by the same rules of matching.
func (e *Engine) startSelf(r *Request) {
	self, tag, size := int32(e.self), int32(r.Tag), uint64(r.Bytes())
	to, open := e.table.Arrive(r.Context, self, tag, r.Type)
	switch {
	case !open:
		e.fail(r, ErrShut)
	case to == nil:
		e.keepSelf(r, self, tag, size)
	case !fits(r.Type, to.Type, false):
		e.fail(r, &TypeError{r.Type, to.Type})
		e.mistyped(to, self, tag, size, r.Type)
	default:
		e.hand(to, r)
		e.sent(r)
		e.received(to, self, tag, size)
	}
}

// keepSelf stores a message to this peer itself that no receive has matched.
func (e *Engine) keepSelf(r *Request, self, tag int32, size uint64) {
	m := e.pool.message()
	m.peer, m.tag, m.size, m.typ = self, tag, size, r.Type
	if r.Mode != Synchronous && size <= e.eager {
		m.kind = waitingEager
		m.buf, m.got = e.pool.buffer(m, int(size)), int(size)
		r.Gather(m.buf, 0)
		e.sent(r)
	} else {
		m.kind, m.self = waitingSelf, r
	}
	e.table.Keep(&m.entry, r.Context, self, tag)
}
