package llc

import (
	"rhinet/internal/vec"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Eager: a message travels in packets, at once.
//
// The sender:
//
//	Idle --all packets gone--> done                              (standard)
//	Idle --start--> Queued --all gone--> Unacknowledged --Ack--> done   (synchronous;
//	                the Ack may also come while Queued: then all gone ends it.
//	                An Ack that says Failed ends the send with an error)
//
// The receiver keeps one incoming message per peer, because packets of
// messages to one peer do not mix:
//
//	None --Eager, more to come--> Some --Fragment, last--> None
//
// Bytes go to the receive's buffer if a receive has matched, and to a buffer of the pool if not; a receive
// that matches in the middle takes over what has come. The bytes of a message that no receive can match any
// more (types.go) are dropped.

// incoming is a message of which not all packets have arrived; size is 0 if there is none.
type incoming struct {
	size, got uint64
	r         *Request // matched receive, or
	m         *message // waiting message; if both are nil it is dropped
	tag       int32
}

// startEager sends what there is room for and queues the rest.
func (e *Engine) startEager(p *peer, r *Request) {
	h, size := eagerHeader(r), r.Bytes()
	var t *transfer
	if r.Mode == Synchronous {
		if t = e.newTransfer(p, r); t == nil {
			e.fail(r, ErrTooMany)
			return
		}
		e.become(t, sendQueued)
		h.Flags, h.Word = wire.Sync, wire.SyncWord(uint32(size), r.Type&wire.TypeMask, t.id)
	} else if p.out == outRing && p.queues.messages.head == nil && !p.queues.bulkWaits() && size <= p.nic.fragment {
		if e.carry(p, &h, r, 0, size) {
			e.sent(r)
			return
		}
	}
	e.queueEager(p, r, t, h, 0)
}

// eagerHeader returns the header of the first packet of a standard message.
func eagerHeader(r *Request) ir.Header {
	return ir.Header{Kind: wire.Eager, Context: r.Context, Tag: int32(r.Tag), Word: wire.Pair(uint32(r.Bytes()), r.Type)}
}

// queueEager queues a message of which off bytes have gone, and sends what can go.
func (e *Engine) queueEager(p *peer, r *Request, t *transfer, h ir.Header, off int) {
	tr := e.pool.entry()
	tr.head, tr.r, tr.t, tr.off, tr.end = h, r, t, off, r.Bytes()
	e.enqueue(p, &p.queues.messages, tr)
}

// bulkWaits reports whether it is the turn of a stream.
func (q *queues) bulkWaits() bool { return q.bulkNext && q.bulk.head != nil }

// eagerGone waits for the Ack, unless it came before the last packet went.
func (e *Engine) eagerGone(t *transfer, _ *ir.Event) error {
	if t.acked {
		e.close(t, t.err)
	} else {
		e.become(t, sendUnacknowledged)
	}
	return nil
}

// acked ends a synchronous send.
func (e *Engine) acked(t *transfer, ev *ir.Event) error {
	if err := checkAck(t, ev); err != nil {
		return err
	}
	e.close(t, outcome(t, ev))
	return nil
}

// ackedEarly notes that the first of several packets was matched while others have not gone.
func (e *Engine) ackedEarly(t *transfer, ev *ir.Event) error {
	if err := checkAck(t, ev); err != nil {
		return err
	}
	if t.acked {
		return protocolError(ev, "transfer %#x was acknowledged before", t.id)
	}
	t.acked, t.err = true, outcome(t, ev)
	return nil
}

// checkAck finds an Ack that fails without a reason, or has a reason and does not fail.
func checkAck(t *transfer, ev *ir.Event) error {
	failed, reason := ev.Header.Flags == wire.Failed, uint32(ev.Header.Word>>32)
	if failed != (reason != 0) {
		return protocolError(ev, "transfer %#x is %v, flags %#x, reason %#x", t.id, t.state, ev.Header.Flags, reason)
	}
	return nil
}

// outcome returns the reason in an Ack or a FIN why the receiver did not take the message, or nil.
func outcome(t *transfer, ev *ir.Event) error {
	if ev.Header.Flags != wire.Failed {
		return nil
	}
	return turnedDown(t.p, t.r.Type, uint32(ev.Header.Word>>32))
}

// onEager takes the first packet of a message.
func (e *Engine) onEager(p *peer, ev *ir.Event) error {
	h := &ev.Header
	size, typ := wire.Halves(h.Word)
	id, sync := uint32(0), h.Flags&wire.Sync != 0
	if sync {
		size, typ, id = wire.SyncParts(h.Word)
	}
	n := uint32(len(ev.Data))
	switch {
	case p.in.size != 0:
		return protocolError(ev, "%d bytes of the message before it are missing", p.in.size-p.in.got)
	case uint64(size) > p.nic.eager || n > size || n == 0 && size > 0:
		return protocolError(ev, "%d of %d bytes, at most %d", n, size, p.nic.eager)
	case h.Tag < 0 || sync && id == 0:
		return protocolError(ev, "tag %d, flags %#x, id %#x", h.Tag, h.Flags, id)
	}
	var r *Request
	open := false
	if sync {
		r, open = e.table.ArriveUnmarked(h.Context, p.number, h.Tag)
	} else {
		r, open = e.table.Arrive(h.Context, p.number, h.Tag, typ)
	}
	switch {
	case !open:
		e.refuseEager(p, ev, size, id)
		return nil
	case r == nil:
		e.keepEager(p, h.Context, h.Tag, size, id, typ, ev.Data)
		return nil
	case !fits(typ, r.Type, sync):
		if sync {
			e.turnDown(p, wire.Ack, id, r.Type)
		}
		e.mistyped(r, p.number, h.Tag, uint64(size), typ)
		e.drop(p, size, n)
		return nil
	}
	r.Scatter(ev.Data, 0)
	if id != 0 {
		e.control(p, header(wire.Ack, uint64(id)), nil)
	}
	if n < size {
		p.in = incoming{size: uint64(size), got: uint64(n), r: r, tag: h.Tag}
		return nil
	}
	e.received(r, p.number, h.Tag, uint64(size))
	return nil
}

// keepEager stores the first packet of a message that no receive has matched.
func (e *Engine) keepEager(p *peer, ctx uint16, tag int32, size, id, typ uint32, data []byte) {
	m := e.pool.message()
	m.kind, m.peer, m.tag, m.size, m.id, m.typ = waitingEager, p.number, tag, uint64(size), id, typ
	m.buf = e.pool.buffer(m, int(size))
	m.got = copy(m.buf, data)
	e.table.Keep(&m.entry, ctx, p.number, tag)
	if m.got < int(size) {
		p.in = incoming{size: m.size, got: uint64(m.got), m: m, tag: m.tag}
	}
}

// onFragment takes the next packet of the message under way.
func (e *Engine) onFragment(p *peer, ev *ir.Event) error {
	if p.in.size == 0 {
		return protocolError(ev, "no message is under way")
	}
	if !e.more(p, ev.Header.Word, ev.Data) {
		return protocolError(ev, "%d bytes at %d, where %d of %d have come", len(ev.Data), ev.Header.Word, p.in.got, p.in.size)
	}
	return nil
}

// comesNext reports whether n bytes at off can be the next ones of a message of size bytes of which got have
// come.
func comesNext(off, n, got, size uint64) bool { return off == got && n != 0 && n <= size-got }

// more takes the bytes at off of the message under way, and reports whether they can be the next ones.
func (e *Engine) more(p *peer, off uint64, data []byte) bool {
	in, n := &p.in, uint64(len(data))
	if !comesNext(off, n, in.got, in.size) {
		return false
	}
	if in.m != nil {
		vec.Copy(in.m.buf[in.got:], data)
		in.m.got += int(n)
	} else if in.r != nil {
		in.r.Scatter(data, int(in.got))
	}
	if in.got += n; in.got < in.size {
		return true
	}
	r, tag, size := in.r, in.tag, in.size
	*in = incoming{}
	if r != nil {
		e.received(r, p.number, tag, size)
	}
	return true
}
