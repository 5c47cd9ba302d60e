package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The schedule queue (llc, section 5) stands between the state machines and
// the translator. It shares two resources:
//
//   - the way to each peer (its packet ring, or one place in its shared ring):
//     control packets first, since they are small and let others go on; then
//     messages, which keep their order, and streamed messages in turn, packet
//     by packet, so that neither starves the other;
//   - the copy engine (copier.go).
//
// When a queue is empty, a command goes straight through.

// A train is one or more packets that wait for their way: a control packet, a
// message, an offer, or a streamed message.
type train struct {
	next *train
	head ir.Header // of a control packet or an offer; of a message's first packet
	body [wire.ControlBytes]byte
	n    int       // bytes of body
	r    *Request  // message: its request
	t    *transfer // offer, stream, synchronous message
	off  int       // message, stream: bytes that have gone
	end  int       // message, stream: bytes in all
}

// A trainLine is a first-in-first-out list of trains.
type trainLine struct{ head, tail *train }

func (l *trainLine) push(t *train) {
	t.next = nil
	if l.tail == nil {
		l.head = t
	} else {
		l.tail.next = t
	}
	l.tail = t
}

func (l *trainLine) pop() *train {
	t := l.head
	l.head = t.next
	if l.head == nil {
		l.tail = nil
	}
	t.next = nil
	return t
}

// queues hold what waits for the way to one peer.
type queues struct {
	controls trainLine
	messages trainLine // keep their order
	bulk     trainLine // streams, in turn
	bulkNext bool      // whose turn it is
}

// ready returns the line of control packets or messages if it can go on.
func (q *queues) ready() *trainLine {
	if q.controls.head != nil {
		return &q.controls
	}
	if t := q.messages.head; t != nil && t.ready() {
		return &q.messages
	}
	return nil
}

// pick returns the line whose first train goes next, or nil.
func (q *queues) pick() *trainLine {
	l := q.ready()
	if q.bulk.head != nil && (l == nil || l == &q.messages && q.bulkNext) {
		return &q.bulk
	}
	return l
}

// ready reports whether a train may go. An offer waits for its segment, and
// all messages behind it do.
func (t *train) ready() bool { return t.head.Kind != wire.RTS || t.t.state != sendExposing }

// nextPacket returns the next packet of a train: its header, its payload if that
// is bytes of a message (see payload), and how many bytes of the train it is, at most
// most.
func (e *Engine) nextPacket(t *train, most int) (h ir.Header, data []byte, n int) {
	switch h = t.head; h.Kind {
	case wire.Eager:
		n = min(most, t.end-t.off)
		if t.off > 0 {
			h = header(wire.Fragment, uint64(t.off))
		}
		data = e.payload(t.r, t.off, n)
	case wire.Data:
		n = min(most, t.t.p.nic.piece, t.end-t.off)
		h.Word = wire.Pair(t.t.remote, t.t.parts)
		data = e.payload(t.t.r, t.off, n)
	}
	return h, data, n
}

// enqueue adds a train and sends what can go.
func (e *Engine) enqueue(p *peer, l *trainLine, t *train) {
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
	t := e.pool.train()
	t.head = h
	t.n = copy(t.body[:], body)
	e.enqueue(p, &p.queues.controls, t)
}

// keepBody moves the payload of the latest command to where it stays until
// Post has read it.
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
	if p.flight.up && p.flight.line != nil {
		return // a train is still half on the old way
	}
	if p.flight.turn && !p.flight.up {
		e.fly(p, nil, header(wire.Switch, uint64(p.ring)), nil, 0)
	}
	for {
		l := p.queues.pick()
		if l == nil {
			break
		}
		h, data, n := e.nextPacket(l.head, p.nic.fragment)
		if l == &p.queues.bulk && !e.spare(p, n) {
			// Not now, but a small message may still pass.
			if l = p.queues.ready(); l == nil {
				e.full(p)
				break
			}
			h, data, n = e.nextPacket(l.head, p.nic.fragment)
		}
		if !e.load(p, l.head, &h, data) {
			e.full(p)
			break
		}
		p.queues.bulkNext = l != &p.queues.bulk
		e.advance(p, l, n)
	}
	e.redirect(p)
}

// load is packet for a train whose payload may be its own body.
func (e *Engine) load(p *peer, t *train, h *ir.Header, data []byte) bool {
	if t.n == 0 {
		if !e.packet(p, h, data) {
			return false
		}
		e.gatherFor(t, data)
		return true
	}
	if !e.packet(p, h, t.body[:t.n]) {
		return false
	}
	e.keepBody()
	return true
}

// gatherFor fills the payload of the next packet of a train.
func (e *Engine) gatherFor(t *train, data []byte) {
	switch t.head.Kind {
	case wire.Eager:
		e.gather(t.r, data, t.off)
	case wire.Data:
		e.gather(t.t.r, data, t.off)
	}
}

// advance notes that n more bytes of the first train of l have gone.
func (e *Engine) advance(p *peer, l *trainLine, n int) {
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
		_ = e.tell(t.t, packetsGone, nil) // nothing of the other side that could be wrong
	case t.r != nil:
		e.sent(t.r)
	}
	e.pool.keepTrain(t)
}
