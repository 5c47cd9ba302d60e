package llc

import (
	"errors"
	"io/fs"
	"math"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Rendezvous: the message stays in the sender's buffer until a receive has
// matched, then moves straight into the receiver's.
//
// The sender:
//
//	      Expose            Exposed          offer gone
//	Idle --------> Exposing -------> Ready ------------> Offered
//	   \------- no remote access ------^                  |
//	         +--------------------+-----------------------+
//	         | CTSSplit           | CTSStream             | FIN
//	         v                    v                       v
//	      Sharing --> Waiting --> Streaming --all gone--> Closing --> done
//	      (split.go)     \----------- FIN ----------------^
//
// The receiver, chosen by size (protocols.go):
//
//	Idle --> Pulling --last piece--> Closing --> done      FIN packet
//	   |        \--not permitted--> Streaming
//	   |--> Sharing ... (split.go)
//	   \--> Streaming ... (stream.go)
//
// A request is done when its machine is Closing and the translator no longer
// holds its buffer; the transfer is released when no answer is owed any more.

// startRTS offers a message: a request to send.
func (e *Engine) startRTS(p *peer, r *Request) {
	t := e.newTransfer(p, r)
	if t == nil {
		e.fail(r, ErrTooMany)
		return
	}
	t.n, t.size = r.Bytes(), uint64(r.Bytes())
	if r.lent != 0 {
		e.segments++
		t.segment, r.lent = r.lent, 0
		e.become(t, sendReady)
	} else if p.nic.caps.Remote && (r.Body == nil || p.nic.reaches(t) || !e.pours(p, r) && e.packed(t)) {
		e.become(t, sendExposing)
		e.expose(t)
	} else {
		e.become(t, sendReady)
	}
	tr := e.pool.entry()
	tr.head.Kind, tr.head.Context, tr.head.Tag, tr.head.Word = wire.RTS, r.Context, int32(r.Tag), t.size
	if tr.t = t; t.state == sendReady {
		tr.offers(t)
	}
	e.enqueue(p, &p.queues.messages, tr)
}

// offer lets the offer go, with its segment if there is one.
func (e *Engine) offer(t *transfer, ev *ir.Event) error {
	_ = e.keepSegment(t, ev)
	e.become(t, sendReady)
	for tr := t.p.queues.messages.head; tr != nil; tr = tr.next {
		if tr.t == t {
			tr.offers(t)
			break
		}
	}
	e.pump(t.p)
	return nil
}

// offers makes the body of an offer.
func (tr *sendEntry) offers(t *transfer) {
	(*wire.RTSBody)(tr.body[:]).Encode(t.size, uint64(t.segment), t.id, t.r.Type)
	tr.n = wire.RTSBytes + t.describe(tr.body[wire.RTSBytes:], t.size)
}

// offered waits for the receiver.
func (e *Engine) offered(t *transfer, _ *ir.Event) error {
	e.become(t, sendOffered)
	e.answerInvitation(t)
	return nil
}

// onRTS matches an offered message.
func (e *Engine) onRTS(p *peer, ev *ir.Event) error {
	h := &ev.Header
	data, layout, err := p.nic.cutLayout(h.Word, ev.Data, wire.RTSBytes)
	if err != nil {
		return protocolError(ev, "%v", err)
	}
	offer, err := wire.ParseRTS(h.Word, data)
	if err != nil {
		return protocolError(ev, "%v", err)
	}
	if h.Tag < 0 || h.Word > math.MaxInt64 {
		return protocolError(ev, "tag %d, %d bytes", h.Tag, h.Word)
	}
	if layout.Pieces != 0 && (layout.List == 0 || !p.nic.listable(&layout, h.Word)) {
		return protocolError(ev, "list %d of %d pieces of %d bytes", layout.List, layout.Pieces, h.Word)
	}
	if p.in.size != 0 {
		return protocolError(ev, "%d bytes of the message before it are missing", p.in.size-p.in.got)
	}
	segment, id, typ := ir.Segment(offer.Segment()), offer.ID(), offer.Type()
	r, open := e.table.Arrive(h.Context, p.number, h.Tag, typ)
	switch {
	case !open:
		e.turnDown(p, wire.FIN, id, wire.NoContext)
		return nil
	case r != nil:
		e.receiveOffered(p, r, h.Tag, h.Word, segment, layout, id, typ)
		return nil
	}
	m := e.pool.message()
	m.kind, m.peer, m.tag, m.size, m.id, m.typ, m.segment, m.layout = waitingRTS, p.number, h.Tag, h.Word, id, typ, segment, layout
	e.table.Keep(&m.entry, h.Context, p.number, m.tag)
	return nil
}

// receiveOffered starts to move a matched message.
func (e *Engine) receiveOffered(p *peer, r *Request, tag int32, size uint64, segment ir.Segment, layout wire.Layout, id, typ uint32) {
	if !fits(typ, r.Type, false) {
		e.turnDown(p, wire.FIN, id, r.Type)
		e.mistyped(r, p.number, tag, size, typ)
		return
	}
	n := int(min(size, uint64(r.Bytes())))
	if n == 0 {
		e.control(p, header(wire.FIN, uint64(id)), nil)
		e.received(r, p.number, tag, size)
		return
	}
	if r.early && segment != 0 {
		if t := e.invitedFor(r); t != nil {
			t.learn(&layout, size)
			e.meet(t, n, tag, size, segment, id)
			return
		}
	}
	t := e.newTransfer(p, r)
	if t == nil {
		e.turnDown(p, wire.FIN, id, 0)
		e.fail(r, ErrTooMany)
		return
	}
	t.n, t.size, t.tag, t.remote, t.theirs = n, size, tag, id, segment
	if segment == 0 || !p.nic.caps.Remote {
		e.askStream(t)
		return
	}
	there := r.Body == nil || p.nic.reaches(t)
	if t.learn(&layout, size); !there {
		e.receiveCopy(t)
		return
	}
	p.nic.rowFor(uint64(n)).receive(e, t)
}

// pullAll pulls a message whole.
func (e *Engine) pullAll(t *transfer) {
	t.unit = t.n
	e.pull(t, 0, t.n)
}

// pull pulls the bytes from off to end, piece by piece.
func (e *Engine) pull(t *transfer, off, end int) {
	t.off, t.end = off, end
	e.become(t, recvPulling)
	e.pullNext(t)
}

func (e *Engine) pullNext(t *transfer) {
	if t.off == t.end {
		e.finish(t, nil)
		return
	}
	e.copy(t, ir.Pull, t.off, min(t.off+t.unit, t.end))
}

// pulled goes on after a piece.
func (e *Engine) pulled(t *transfer, ev *ir.Event) error {
	t.slow = t.slow || ev.Slow
	t.store()
	t.off = t.piece.hi
	e.pullNext(t)
	return nil
}

// unpulled goes on after a piece that the NIC has refused to move.
func (e *Engine) unpulled(t *transfer, ev *ir.Event) error {
	e.pullFailed(t, ev.Err)
	return nil
}

// pullFailed streams the message instead, or gives up.
func (e *Engine) pullFailed(t *transfer, err error) {
	if errors.Is(err, fs.ErrPermission) {
		e.askStream(t)
		return
	}
	e.finish(t, &PeerError{int(t.p.number), refused(err)})
}

// finishedUntouched ends an offered message of which nothing has moved: the receiver may say why it does not
// want the message.
func (e *Engine) finishedUntouched(t *transfer, ev *ir.Event) error {
	if ev.Header.Flags != wire.Failed {
		return e.finished(t, ev)
	}
	e.close(t, outcome(t, ev))
	return nil
}

// finishedUnclaimed ends a message whose sharing has begun. The receiver may give up at any
// time. Otherwise it may have moved everything before the sender's first claim,
// which is still on its way.
func (e *Engine) finishedUnclaimed(t *transfer, ev *ir.Event) error {
	if ev.Header.Flags != wire.Failed && !t.unsettled() {
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	}
	if err := checkFIN(t, ev); err != nil {
		return err
	}
	e.leave(t)
	e.close(t, outcome(t, ev))
	return nil
}

// finished ends a message that the receiver has, or has given up.
func (e *Engine) finished(t *transfer, ev *ir.Event) error {
	if err := checkFIN(t, ev); err != nil {
		return err
	}
	e.close(t, outcome(t, ev))
	return nil
}

// checkFIN finds a FIN with a reason from a receiver that has matched the message.
func checkFIN(t *transfer, ev *ir.Event) error {
	if reason := ev.Header.Word >> 32; reason != 0 && !(t.early && ev.Header.Flags == wire.Failed) {
		return protocolError(ev, "reason %#x, flags %#x, transfer %#x is %v", reason, ev.Header.Flags, t.id, t.state)
	}
	return nil
}
