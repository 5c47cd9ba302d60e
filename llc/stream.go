package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Stream: an offered message travels in Data packets, because its memory
// cannot be reached from the other side.
//
//	receiver: Idle, Pulling, Sharing --Stream packet--> Streaming --last Data--> Closing
//	sender:   Offered, Waiting --Stream packet--> Streaming --all gone--> Closing
//
// Data packets name their transfer, so streams to one peer take turns with
// each other and with small messages. They are numbered, to notice an error;
// the way keeps their order. There is no Finish packet.

// askStream asks the sender for all bytes.
func (e *Engine) askStream(t *transfer) {
	t.off, t.parts, t.err = 0, 0, nil
	e.become(t, recvStreaming)
	b := e.scratch[:wire.StreamBytes]
	(*wire.StreamBody)(b).Encode(uint64(t.remote), uint64(t.n), t.id)
	e.control(t.p, header(wire.Stream, uint64(t.remote)), b)
}

// streamUnclaimed starts to send if the sender's first claim is still on its way: it will fail.
func (e *Engine) streamUnclaimed(t *transfer, ev *ir.Event) error {
	if t.split.claim.Back() != 0 {
		return lie(ev, "transfer %#x is %v", t.id, t.state)
	}
	return e.stream(t, ev)
}

// stream starts to send.
func (e *Engine) stream(t *transfer, ev *ir.Event) error {
	b, err := wire.ParseStream(ev.Header.Word, ev.Data)
	if err != nil {
		return lie(ev, "%v", err)
	}
	if b.Want() > t.size {
		return lie(ev, "%d of %d bytes", b.Want(), t.size)
	}
	t.remote = b.ID()
	e.become(t, sendStreaming)
	tr := e.pool.train()
	tr.head = ir.Header{Kind: wire.Data}
	tr.t, tr.end = t, int(b.Want())
	e.enqueue(t.p, &t.p.queues.bulk, tr)
	return nil
}

// streamed ends a message whose last packet is on its way.
func (e *Engine) streamed(t *transfer, _ *ir.Event) error {
	e.close(t, nil)
	return nil
}

// takeData takes the next piece.
func (e *Engine) takeData(t *transfer, ev *ir.Event) error {
	if _, part := wire.Halves(ev.Header.Word); part != t.parts {
		return lie(ev, "part %d, transfer %#x is %v at %d", part, t.id, t.state, t.parts)
	}
	if n := len(ev.Data); n == 0 || n > t.n-t.off {
		return lie(ev, "%d bytes at %d of %d", n, t.off, t.n)
	}
	t.r.Scatter(ev.Data, t.off)
	t.off += len(ev.Data)
	if t.parts++; t.off == t.n {
		e.close(t, nil)
	}
	return nil
}
