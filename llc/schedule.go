package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The schedule queue (llc, section 5) stands between the state machines and the translator. It shares two
// resources:
//   - the way to each peer (its packet ring, or the one packet in flight in its shared ring): control packets
//     first, since they are small and let other transfers go on; then messages, which keep their order, and
//     streams in turn with them, packet by packet, so that neither starves the other;
//   - the copy engine (copier.go).
//
// When a queue is empty, a command goes straight through.

// A sendEntry is one or more packets that wait for their way: a control packet, a message, an offer, or a
// stream.
type sendEntry struct {
	next *sendEntry
	head ir.Header // of a control packet or an offer; of a message's first packet
	body [wire.ControlBytes]byte
	n    int       // bytes of body
	r    *Request  // message: its request
	t    *transfer // offer, stream, synchronous message
	off  int       // message, stream: bytes that have gone
	end  int       // message, stream: bytes in all
}

// A sendQueue is a first-in-first-out list of entries.
type sendQueue struct{ head, tail *sendEntry }

func (l *sendQueue) push(t *sendEntry) {
	t.next = nil
	if l.tail == nil {
		l.head = t
	} else {
		l.tail.next = t
	}
	l.tail = t
}

func (l *sendQueue) pop() *sendEntry {
	t := l.head
	l.head = t.next
	if l.head == nil {
		l.tail = nil
	}
	t.next = nil
	return t
}

// queues holds what waits for the way to one peer.
type queues struct {
	controls sendQueue
	messages sendQueue // keep their order
	bulk     sendQueue // streams, in turn
	bulkNext bool      // a stream goes next
}

// ready returns the queue of control packets or messages whose first entry may go, or nil.
func (q *queues) ready() *sendQueue {
	if q.controls.head != nil {
		return &q.controls
	}
	if t := q.messages.head; t != nil && t.ready() {
		return &q.messages
	}
	return nil
}

// pick returns the queue whose first entry goes next, or nil.
func (q *queues) pick() *sendQueue {
	l := q.ready()
	if q.bulk.head != nil && (l == nil || l == &q.messages && q.bulkNext) {
		return &q.bulk
	}
	return l
}

// ready reports whether an entry may go. An offer waits for its segment, and all messages behind it wait too.
func (t *sendEntry) ready() bool { return t.head.Kind != wire.RTS || t.t.state != sendExposing }

// nextPacket returns the header of the next packet of an entry, and how many bytes of the message it carries,
// at most most.
func (t *sendEntry) nextPacket(most int) (h ir.Header, n int) {
	switch h = t.head; h.Kind {
	case wire.Eager:
		n = min(most, t.end-t.off)
		if t.off > 0 {
			h = header(wire.Fragment, uint64(t.off))
		}
	case wire.Data:
		n = min(most, t.t.p.nic.piece, t.end-t.off)
		h.Word = wire.Pair(t.t.remote, t.t.parts)
	}
	return h, n
}

// message is that of whose bytes an entry is.
func (t *sendEntry) message() *Request {
	if t.head.Kind == wire.Data {
		return t.t.r
	}
	return t.r
}

// enqueue adds an entry and sends what can go.
func (e *Engine) enqueue(p *peer, l *sendQueue, t *sendEntry) {
	l.push(t)
	e.queued++
	if l == &p.queues.messages {
		p.direct = 0 // until pump has sent it: later messages queue behind it
	}
	e.pump(p)
}

// control sends a control packet, or queues it.
func (e *Engine) control(p *peer, h ir.Header, body []byte) {
	if p.end != nil {
		return
	}
	if p.out == outRing && p.queues.controls.head == nil && e.packet(p, &h, body) {
		e.keepBody()
		return
	}
	t := e.pool.entry()
	t.head = h
	t.n = copy(t.body[:], body)
	e.enqueue(p, &p.queues.controls, t)
}

// keepBody copies the payload of the latest command to memory that stays until Post has read it.
func (e *Engine) keepBody() {
	i := e.n - 1
	if c := &e.cmds[i]; len(c.Data) != 0 {
		for len(e.bodies) <= i {
			e.bodies = append(e.bodies, [wire.ControlBytes]byte{})
		}
		c.Data = e.bodies[i][:copy(e.bodies[i][:], c.Data)]
	}
}

// pump sends to p what its way has room for.
func (e *Engine) pump(p *peer) {
	if p.end != nil {
		return
	}
	if p.out != outRing {
		e.pumpShared(p)
		return
	}
	if p.inFlight.up && p.inFlight.line != nil {
		return // an entry is still partly in the shared ring
	}
	if p.inFlight.turn && !p.inFlight.up {
		e.fly(p, nil, header(wire.Switch, uint64(p.ring)), nil, 0)
	}
	for {
		l := p.queues.pick()
		if l == nil {
			break
		}
		h, n := l.head.nextPacket(p.nic.fragment)
		if l == &p.queues.bulk && !e.spare(p, n) {
			// Not now, but a small message may still pass.
			if l = p.queues.ready(); l == nil {
				e.full(p)
				break
			}
			h, n = l.head.nextPacket(p.nic.fragment)
		}
		if !e.load(p, l.head, &h, n) {
			e.full(p)
			break
		}
		p.queues.bulkNext = l != &p.queues.bulk
		e.advance(p, l, n)
	}
	e.redirect(p)
}

// load is packet for an entry, of which n bytes are next if they are those of a message.
func (e *Engine) load(p *peer, t *sendEntry, h *ir.Header, n int) bool {
	if n > 0 {
		return e.carry(p, h, t.message(), t.off, n)
	}
	if !e.packet(p, h, t.body[:t.n]) {
		return false
	}
	e.keepBody()
	return true
}

// advance notes that n more bytes of the first entry of l have gone.
func (e *Engine) advance(p *peer, l *sendQueue, n int) {
	t := l.head
	t.off += n
	if t.head.Kind == wire.Data {
		t.t.parts++
		t.t.off = t.off
	}
	if t.off < t.end {
		if l == &p.queues.bulk {
			l.push(l.pop())
		}
		return
	}
	l.pop()
	e.queued--
	switch {
	case t.t != nil:
		_ = e.tell(t.t, packetsGone, nil) // not caused by the other side, so there is no protocol error
	case t.r != nil:
		e.sent(t.r)
	}
	e.pool.keepEntry(t)
}
