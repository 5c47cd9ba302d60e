package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Step takes one event of the translator. An error names a peer that broke the
// protocol, or an event that answers nothing: it has been ignored, and the
// engine can go on. Step copies what it needs of ev.Data.
func (e *Engine) Step(ev *ir.Event) error {
	if e.posted != 0 && ev.Kind != ir.Busy {
		e.settle()
	}
	if ev.Kind != ir.Arrived {
		return e.answer(ev)
	}
	if uint(ev.Peer) >= uint(len(e.peers)) {
		return lie(ev, "there are %d peers", len(e.peers))
	}
	p, h := &e.peers[ev.Peer], &ev.Header
	if ^uint32(ev.Ring) != p.via {
		return e.misrouted(p, ev)
	}
	// A standard message in one packet, while none is half here.
	if h.Kind == wire.Eager && h.Flags == 0 && p.in.size == 0 && h.Tag >= 0 &&
		h.Word == uint64(len(ev.Data)) && h.Word <= e.eager {
		r := e.table.Arrive(h.Context, p.number, h.Tag)
		if r == nil {
			e.keepEager(p, ev, uint32(h.Word), 0)
			return nil
		}
		copy(r.Buf, ev.Data)
		e.received(r, p.number, h.Tag, h.Word)
		return nil
	}
	return e.arrived(p, ev)
}

// arrived takes any packet.
func (e *Engine) arrived(p *peer, ev *ir.Event) error {
	h, flags := &ev.Header, ev.Header.Flags
	ask := flags&wire.Ask != 0
	if ask {
		flags &^= wire.Ask
		if ev.Ring != ir.NoRing || p.grant != inNone || h.Kind != wire.Eager && h.Kind != wire.Offer {
			return lie(ev, "asks for a ring, but has asked before or must not")
		}
	}
	if err := checkShape(ev, flags); err != nil {
		return err
	}
	if err := e.dispatch(p, ev, flags); err != nil {
		return err
	}
	if ask {
		e.onAsk(p)
	}
	return nil
}

// A shape says what a kind of packet may carry besides what its handler checks.
type shape struct {
	flags uint8
	empty bool // no payload
}

var shapes = [wire.NumKinds]shape{
	wire.Eager:  {flags: wire.Sync},
	wire.Ack:    {empty: true},
	wire.Part:   {flags: wire.Failed, empty: true},
	wire.Finish: {flags: wire.Failed, empty: true},
	wire.Grant:  {empty: true},
	wire.Refuse: {empty: true},
	wire.Switch: {empty: true},
}

func checkShape(ev *ir.Event, flags uint8) error {
	if ev.Header.Kind == 0 || ev.Header.Kind >= wire.NumKinds {
		return lie(ev, "kind %d", ev.Header.Kind)
	}
	s := shapes[ev.Header.Kind]
	if flags&^s.flags != 0 {
		return lie(ev, "flags %#x", flags)
	}
	if s.empty && len(ev.Data) != 0 {
		return lie(ev, "%d bytes of payload", len(ev.Data))
	}
	return nil
}

func (e *Engine) dispatch(p *peer, ev *ir.Event, flags uint8) error {
	switch ev.Header.Kind {
	case wire.Eager:
		return e.onEager(p, ev, flags)
	case wire.Fragment:
		return e.onFragment(p, ev)
	case wire.Offer:
		return e.onOffer(p, ev)
	case wire.Ack:
		return e.onAck(p, ev)
	case wire.Split:
		return e.onSplit(p, ev)
	case wire.Stream:
		return e.onStream(p, ev)
	case wire.Data:
		return e.onData(p, ev)
	case wire.Part:
		return e.onPart(p, ev)
	case wire.Finish:
		return e.onFinish(p, ev, flags)
	case wire.Grant:
		return e.onGrant(p, ev)
	case wire.Refuse:
		return e.onRefuse(p, ev)
	case wire.Switch:
		return e.onSwitch(p, ev)
	}
	panic("llc: a kind of packet has a shape and no handler")
}

// answer takes any event but Arrived.
func (e *Engine) answer(ev *ir.Event) error {
	aboutPeer := ev.Kind == ir.Busy || ev.Kind == ir.Tail || ev.Kind == ir.Failed && ev.Token == 0
	if aboutPeer && uint(ev.Peer) >= uint(len(e.peers)) {
		return stray(ev, "there are %d peers", len(e.peers))
	}
	switch ev.Kind {
	case ir.Busy:
		return e.onBusy(ev)
	case ir.Tail:
		return e.onTail(ev)
	case ir.Failed:
		if aboutPeer {
			return e.onPeerFailed(ev)
		}
	case ir.Exposed, ir.Pulled, ir.Pushed, ir.Swapped:
	default:
		return stray(ev, "kind %d", ev.Kind)
	}
	return e.onAnswer(ev)
}

// stray reports an event that cannot be right.
func stray(ev *ir.Event, format string, args ...any) error {
	return &ProtocolError{int(ev.Peer), "event", fmt.Sprintf(format, args...)}
}
