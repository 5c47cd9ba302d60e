package user

import (
	"errors"
	"sync"

	"rhinet/llc"
	"rhinet/llc/port"
)

// A Kind says what an event reports.
type Kind uint8

// The kinds of events (llc, section 3.3).
const (
	Arrived  Kind = iota + 1 // an Unsolicited-Send of Peer, with ID and Data
	Sent                     // the data of a Send may be reused
	Received                 // a Recv has ended: a message of Peer, with Tag and Bytes
	Over                     // nothing can arrive any more: a peer is gone, or this one has closed; see Err
)

func (k Kind) String() string {
	names := [...]string{"none", "arrived", "sent", "received", "over"}
	if int(k) < len(names) {
		return names[k]
	}
	return "unknown"
}

// An Event is one entry of the event queue.
type Event struct {
	Kind   Kind
	Peer   int    // the other side; AnyPeer if a receive failed before it matched
	ID     int    // Arrived: of the message; otherwise its tag
	Bytes  int    // of the message
	Data   []byte // Arrived: valid until the queue is read again
	Cookie any    // from the call that began the transfer
	Err    error  // nil, or why it failed
}

// ErrClosed is wrapped by the Err of an event Over after Close.
var ErrClosed = port.ErrClosed

// An arrival is the receive for the next Unsolicited-Send.
type arrival struct {
	r   llc.Request
	buf [MaxUnsolicited]byte
}

// post posts the receive.
func (a *arrival) post(p *Peer) error {
	a.r = llc.Request{Peer: AnyPeer, Tag: AnyTag, Context: ctxUnsolicited, Buf: a.buf[:], Label: "Next"}
	return p.port.Enqueue(&a.r, false)
}

// transfers finds the transfer that a request belongs to.
type transfers struct {
	mu   sync.Mutex
	open map[*llc.Request]*transfer
}

func (t *transfers) put(x *transfer) {
	t.mu.Lock()
	if t.open == nil {
		t.open = map[*llc.Request]*transfer{}
	}
	t.open[&x.r] = x
	t.mu.Unlock()
}

func (t *transfers) take(r *llc.Request) *transfer {
	t.mu.Lock()
	x := t.open[r]
	delete(t.open, r)
	t.mu.Unlock()
	return x
}

// Poll returns the next event, if there is one. It calls handlers on the way.
func (p *Peer) Poll() (Event, bool) {
	p.reader.Lock()
	defer p.reader.Unlock()
	ev := p.next(false)
	return ev, ev.Kind != 0
}

// Next waits for the next event. It calls handlers while it waits; several goroutines that wait take turns.
func (p *Peer) Next() Event {
	p.reader.Lock()
	defer p.reader.Unlock()
	return p.next(true)
}

// next returns the next event; its Kind is 0 if there is none.
func (p *Peer) next(block bool) Event {
	for {
		if p.taken {
			if err := p.arrival.post(p); err != nil {
				return Event{Kind: Over, Peer: AnyPeer, Err: err}
			}
			p.taken = false
		}
		r := p.port.Next(block)
		switch {
		case r == nil && block:
			return Event{Kind: Over, Peer: AnyPeer, Err: p.why()}
		case r == nil:
			return Event{}
		case r != &p.arrival.r:
			return p.open.take(r).event()
		}
		p.taken = true
		st := &r.Status
		switch {
		case errors.Is(st.Err, llc.ErrPeerGone):
			return Event{Kind: Over, Peer: AnyPeer, Err: st.Err}
		case st.Err != nil: // a message that no correct peer sends
			return Event{Kind: Arrived, Peer: st.Source, ID: st.Tag, Bytes: int(st.Bytes), Err: st.Err}
		}
		data := p.arrival.buf[:st.Bytes]
		h, ok := p.handlers.Load(st.Tag)
		if !ok {
			return Event{Kind: Arrived, Peer: st.Source, ID: st.Tag, Bytes: len(data), Data: data}
		}
		h.(func(int, []byte))(st.Source, data)
	}
}

// why returns why nothing comes any more.
func (p *Peer) why() error {
	if err := p.port.Failure(); err != nil {
		return err
	}
	return ErrClosed
}

// event returns the event that reports the end of a transfer.
func (t *transfer) event() Event {
	st := &t.r.Status
	ev := Event{Kind: Sent, Peer: t.r.Peer, ID: t.r.Tag, Bytes: len(t.r.Buf), Cookie: t.cookie, Err: st.Err}
	if !t.send {
		ev.Kind = Received
		if st.Err == nil || errors.Is(st.Err, llc.ErrTruncated) {
			ev.Peer, ev.ID, ev.Bytes = st.Source, st.Tag, int(st.Bytes)
		}
	}
	return ev
}
