package user

import (
	"fmt"
	"math"

	"rhinet/llc"
)

// AnyPeer and AnyTag are wildcards of a receive.
const (
	AnyPeer = llc.AnyPeer
	AnyTag  = llc.AnyTag
)

// MaxUnsolicited is the largest Unsolicited-Send, in bytes.
const MaxUnsolicited = 4096

// A transfer is a send or a receive whose end the queue will report.
type transfer struct {
	r      llc.Request
	send   bool
	cookie any
}

// Send sends data to dst (llc, section 3.1) and returns at once. An event Sent with cookie says that data may
// be reused.
func (p *Peer) Send(dst, tag int, data []byte, cookie any) error {
	if err := p.known("Send", dst); err != nil {
		return err
	}
	if err := tagged("Send", tag, false); err != nil {
		return err
	}
	return p.begin(&transfer{llc.Request{Peer: dst, Tag: tag, Buf: data, Context: ctxMessages, Label: "Send"}, true, cookie})
}

// Recv receives a message of src, or of AnyPeer, with tag, or with AnyTag, into buf (llc, section 3.1), and
// returns at once. An event Received with cookie says what has come. A message that is longer than buf is
// truncated; then the event has an error that wraps [llc.ErrTruncated].
func (p *Peer) Recv(src, tag int, buf []byte, cookie any) error {
	if src != AnyPeer {
		if err := p.known("Recv", src); err != nil {
			return err
		}
	}
	if err := tagged("Recv", tag, true); err != nil {
		return err
	}
	return p.begin(&transfer{llc.Request{Peer: src, Tag: tag, Buf: buf, Context: ctxMessages, Label: "Recv"}, false, cookie})
}

// begin starts a transfer, and enters it for the queue.
func (p *Peer) begin(t *transfer) error {
	p.open.put(t)
	if err := p.port.Enqueue(&t.r, t.send); err != nil {
		p.open.take(&t.r)
		return fmt.Errorf("user: %s: %w", t.r.Label, err)
	}
	return nil
}

// Unsolicited sends data, at most MaxUnsolicited bytes, to a buffer of dst's library (llc, section 3.2). It
// returns when data may be reused. At dst it becomes an event Arrived, or a call of the handler of id. What
// one goroutine sends to one peer arrives in order.
func (p *Peer) Unsolicited(dst, id int, data []byte) error {
	if err := p.known("Unsolicited", dst); err != nil {
		return err
	}
	if err := tagged("Unsolicited", id, false); err != nil {
		return err
	}
	if len(data) > MaxUnsolicited {
		return fmt.Errorf("user: Unsolicited: %d bytes are more than %d; use Send, or cut them", len(data), MaxUnsolicited)
	}
	if err := p.port.Send(llc.MakeKey(ctxUnsolicited, 0), dst, id, llc.Standard, data); err != nil {
		return fmt.Errorf("user: Unsolicited to peer %d: %w", dst, err)
	}
	return nil
}

// Handle has h called for what arrives with id, instead of an event: an active message. The reader of the
// queue calls it; data is valid until h returns. h may send, and must not read the queue. Handle is to be
// called before anything with id can arrive; nil turns arrivals into events again.
func (p *Peer) Handle(id int, h func(src int, data []byte)) {
	if h == nil {
		p.handlers.Delete(id)
		return
	}
	p.handlers.Store(id, h)
}

// tagged reports a number that cannot be a tag.
func tagged(call string, tag int, wild bool) error {
	if wild && tag == AnyTag || tag >= 0 && tag <= math.MaxInt32 {
		return nil
	}
	return fmt.Errorf("user: %s: %d is no tag; tags are 0 to %d", call, tag, math.MaxInt32)
}
