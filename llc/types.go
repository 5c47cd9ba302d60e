package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// fits reports whether a receive that wants a type takes a message of the type sent. The low wire.TypeBits
// are the class of the elements; class 0 stands for any type and fits any. The other bits must be equal where
// they travel: a synchronous message in packets does not carry them (MPI 4.1, section 3.3.1).
func fits(sent, want uint32, sync bool) bool {
	switch {
	case sent == want, sent&wire.TypeMask == 0, want&wire.TypeMask == 0:
		return true
	}
	return sync && sent == want&wire.TypeMask
}

// mistyped completes a receive that has matched a message of another type. The message is lost. If the
// receive is Together, it fails all others of its context that are.
func (e *Engine) mistyped(r *Request, src, tag int32, size uint64, sent uint32) {
	err := &TypeError{sent, r.Type}
	e.failWith(r, src, tag, size, err)
	if !r.Together {
		return
	}
	e.table.ReceivesIn(r.Context, func(q *Request) {
		if q.Together {
			e.table.Withdraw(&q.entry)
			e.failWith(q, src, tag, size, err)
		}
	})
}

// failWith completes a receive with what is known of a message.
func (e *Engine) failWith(r *Request, src, tag int32, size uint64, err error) {
	r.Status = Status{Source: int(src), Tag: int(tag), Bytes: int64(size), Err: err}
	e.complete(r)
}

// turnDown tells the sender of an offered or synchronous message that it was not
// received, and why.
func (e *Engine) turnDown(p *peer, kind wire.Kind, id, reason uint32) {
	h := header(kind, wire.Pair(id, reason))
	h.Flags = wire.Failed
	e.control(p, h, nil)
}

// turnedDown returns the error of a send that the receiver has not taken.
func turnedDown(p *peer, sent, reason uint32) error {
	switch reason {
	case 0:
		return &PeerError{int(p.number), ErrRefused}
	case wire.NoContext:
		return &PeerError{int(p.number), ErrShut}
	}
	return &PeerError{int(p.number), &TypeError{sent, reason}}
}

// Open says which messages a context takes from now on: those whose type has the bits of want where mask has
// ones. want has no bit outside mask. Before it is opened for the first time a context takes all messages.
func (e *Engine) Open(ctx uint16, mask, want uint32) { e.table.Open(ctx, mask, want) }

// Shut ends the use of a context: messages that wait there are dropped, and so are those that come from now
// on, until it is opened again. Receives, and sends whose end depends on a receive, fail with ErrShut, at
// peers too.
func (e *Engine) Shut(ctx uint16) {
	e.dropAll(ctx)
	e.table.ReceivesIn(ctx, func(r *Request) {
		e.table.Withdraw(&r.entry)
		e.fail(r, ErrShut)
	})
	e.table.Shut(ctx)
}

// Drain is Shut that leaves alone the receives that wait, and returns how many these are: they still get
// their messages. When it returns 0 the context is shut.
func (e *Engine) Drain(ctx uint16) (waiting int) {
	e.dropAll(ctx)
	if waiting = e.table.Drain(ctx); waiting == 0 {
		e.table.Shut(ctx)
	}
	return waiting
}

// dropAll drops the messages that wait in a context.
func (e *Engine) dropAll(ctx uint16) {
	e.table.MessagesIn(ctx, func(m *message) {
		e.table.Drop(&m.entry)
		p := &e.peers[m.peer]
		switch {
		case m.kind == waitingRTS:
			e.turnDown(p, wire.FIN, m.id, wire.NoContext)
		case m.kind == waitingSelf:
			e.fail(m.self, ErrShut)
		case m.id != 0:
			e.turnDown(p, wire.Ack, m.id, wire.NoContext)
		}
		if p.in.m == m {
			p.in.m = nil // its remaining packets are dropped as they come
		}
		e.pool.keepMessage(m)
	})
}

// refuseEager drops the first packet of a message to a context that is shut, or of an earlier use of the
// context.
func (e *Engine) refuseEager(p *peer, ev *ir.Event, size, id uint32) {
	if id != 0 {
		e.turnDown(p, wire.Ack, id, wire.NoContext)
	}
	e.drop(p, size, uint32(len(ev.Data)))
}

// drop has the remaining packets of a message dropped, of which n bytes have come.
func (e *Engine) drop(p *peer, size, n uint32) {
	if n < size {
		p.in = incoming{size: uint64(size), got: uint64(n)}
	}
}

// Unexpected returns how many messages have waited for a receive in a context so far.
func (e *Engine) Unexpected(ctx uint16) uint64 { return e.table.Kept(ctx) }
