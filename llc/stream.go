package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Stream: an offered message travels in Data packets, because its memory
// cannot be reached from the other side.
//
//	receiver: Idle, Pulling, Sharing --CTSStream packet--> Streaming --last Data--> Closing
//	sender:   Offered, Waiting --CTSStream packet--> Streaming --all gone--> Closing
//
// Data packets name their transfer, so streams to one peer take turns with each other and with small
// messages. They are numbered so that an error is noticed; the ring keeps their order. There is no FIN
// packet.

// askStream asks the sender for all bytes.
func (e *Engine) askStream(t *transfer) {
	t.off, t.parts, t.err = 0, 0, nil
	e.become(t, recvStreaming)
	b := e.scratch[:wire.CTSStreamBytes]
	(*wire.CTSStreamBody)(b).Encode(uint64(t.remote), uint64(t.n), t.id)
	e.control(t.p, header(wire.CTSStream, uint64(t.remote)), b)
}

// streamUnclaimed starts to send if the sender's first claim is still on its way: it will fail.
func (e *Engine) streamUnclaimed(t *transfer, ev *ir.Event) error {
	b, err := askedStream(t, ev)
	switch {
	case err != nil:
		return err
	case !t.unsettled():
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	}
	e.leave(t)
	e.startStream(t, &b)
	return nil
}

// stream starts to send.
func (e *Engine) stream(t *transfer, ev *ir.Event) error {
	b, err := askedStream(t, ev)
	if err == nil {
		e.startStream(t, &b)
	}
	return err
}

// askedStream reads what the receiver asks for.
func askedStream(t *transfer, ev *ir.Event) (b wire.CTSStreamBody, err error) {
	if b, err = wire.ParseCTSStream(ev.Header.Word, ev.Data); err != nil {
		return b, protocolError(ev, "%v", err)
	}
	if b.Want() > t.size {
		return b, protocolError(ev, "%d of %d bytes", b.Want(), t.size)
	}
	return b, nil
}

func (e *Engine) startStream(t *transfer, b *wire.CTSStreamBody) {
	t.remote = b.ID()
	e.become(t, sendStreaming)
	tr := e.pool.entry()
	tr.head = ir.Header{Kind: wire.Data}
	tr.t, tr.end = t, int(b.Want())
	e.enqueue(t.p, &t.p.queues.bulk, tr)
}

// streamed ends a message whose last packet is on its way.
func (e *Engine) streamed(t *transfer, _ *ir.Event) error {
	e.close(t, nil)
	return nil
}

// takeData takes the next piece.
func (e *Engine) takeData(t *transfer, ev *ir.Event) error {
	if _, part := wire.Halves(ev.Header.Word); part != t.parts {
		return protocolError(ev, "part %d, transfer %#x is %v at %d", part, t.id, t.state, t.parts)
	}
	if n := len(ev.Data); n == 0 || n > t.n-t.off {
		return protocolError(ev, "%d bytes at %d of %d", n, t.off, t.n)
	}
	t.r.Scatter(ev.Data, t.off)
	t.off += len(ev.Data)
	if t.parts++; t.off == t.n {
		e.close(t, nil)
	}
	return nil
}
