package llc

import (
	"fmt"

	"rhinet/internal/vec"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Step takes one event of the translator. An error names a peer that broke the protocol, or an event that
// answers no command: the event has been ignored, and the engine can go on. Step copies what it needs of
// ev.Data.
func (e *Engine) Step(ev *ir.Event) error {
	if e.posted|e.copies.turn != 0 {
		e.before(ev)
	}
	if ev.Kind != ir.Arrived {
		return e.answer(ev)
	}
	if uint(ev.Peer) >= uint(len(e.peers)) {
		return protocolError(ev, "there are %d peers", len(e.peers))
	}
	p, h := &e.peers[ev.Peer], &ev.Header
	if ^uint32(ev.Ring) != p.via {
		return e.misrouted(p, ev)
	}
	// A standard message in one packet, while no other one is incomplete.
	if h.Kind == wire.Eager && h.Flags == 0 && p.in.size == 0 && h.Tag >= 0 &&
		uint32(h.Word) == uint32(len(ev.Data)) && uint64(len(ev.Data)) <= e.eager {
		p.seen++
		e.whole(p, h.Context, h.Tag, uint32(h.Word>>32), ev.Data)
		return nil
	}
	return e.arrived(p, ev)
}

// before does what every event leads to, whatever it says.
func (e *Engine) before(ev *ir.Event) {
	if e.posted != 0 && ev.Kind != ir.Busy {
		e.settle()
	}
	e.passed()
}

// whole takes a standard message in one packet. If no receive matches it waits, unless it is from an earlier
// use of the context: then it will never be received.
func (e *Engine) whole(p *peer, ctx uint16, tag int32, typ uint32, data []byte) {
	r, open := e.table.Arrive(ctx, p.number, tag, typ)
	switch {
	case r != nil && r.Type == typ && len(data) <= len(r.Buf):
		vec.Fill(r.Buf, data)
		e.receivedWhole(r, p.number, tag, len(data))
	case r != nil && fits(typ, r.Type, false):
		r.Scatter(data, 0)
		e.received(r, p.number, tag, uint64(len(data)))
	case r != nil:
		e.mistyped(r, p.number, tag, uint64(len(data)), typ)
	case open:
		e.keepEager(p, ctx, tag, uint32(len(data)), 0, typ, data)
	}
}

// A packet describes a kind of packet: what it may carry, besides what its handler checks, and its handler,
// or the cause that it is for the transfer that it names.
type packet struct {
	flags uint8
	empty bool // no payload
	take  func(*Engine, *peer, *ir.Event) error
	cause cause
}

var packets = [wire.NumKinds]packet{
	wire.Eager:     {flags: wire.Sync | wire.Ask, take: (*Engine).onEager},
	wire.Fragment:  {take: (*Engine).onFragment},
	wire.RTS:       {flags: wire.Ask, take: (*Engine).onRTS},
	wire.Ack:       {flags: wire.Failed, empty: true, cause: gotAck},
	wire.CTSSplit:  {flags: wire.Timed, cause: gotCTSSplit},
	wire.CTSStream: {cause: gotCTSStream},
	wire.Data:      {cause: gotData},
	wire.Part:      {empty: true, cause: gotPart},
	wire.FIN:       {flags: wire.Failed | wire.Slow, empty: true, cause: gotFIN},
	wire.Grant:     {empty: true, take: (*Engine).onGrant},
	wire.Refuse:    {empty: true, take: (*Engine).onRefuse},
	wire.Switch:    {empty: true, take: (*Engine).onSwitch},
	wire.RTR:       {flags: wire.Timed | wire.Aside, take: (*Engine).onRTR},
}

// arrived takes any packet.
func (e *Engine) arrived(p *peer, ev *ir.Event) error {
	h := &ev.Header
	if h.Kind == 0 || h.Kind >= wire.NumKinds {
		return protocolError(ev, "kind %d", h.Kind)
	}
	if wire.OfMessage(h.Kind) {
		p.seen++
	}
	k, ask := &packets[h.Kind], h.Flags&wire.Ask != 0
	switch {
	case h.Flags&^k.flags != 0:
		return protocolError(ev, "flags %#x", h.Flags)
	case k.empty && len(ev.Data) != 0:
		return protocolError(ev, "%d bytes of payload", len(ev.Data))
	case ask && (ev.Ring != ir.NoRing || p.grant != inNone):
		return protocolError(ev, "asks for a ring, but has asked before")
	}
	if h.Flags&wire.Slow != 0 {
		return e.heed(p, ev)
	}
	if k.take == nil {
		return e.tellTheirs(p, k.cause, ev)
	}
	if err := k.take(e, p, ev); err != nil {
		return err
	}
	if ask {
		e.onAsk(p)
	}
	return nil
}

// answer takes any event but Arrived.
func (e *Engine) answer(ev *ir.Event) error {
	aboutPeer := ev.Kind == ir.Busy || ev.Kind == ir.Tail || ev.Kind == ir.Failed && ev.Token == 0
	if aboutPeer && uint(ev.Peer) >= uint(len(e.peers)) {
		if ev.Kind == ir.Failed {
			return unexpected(ev, "%v (there are %d peers)", ev.Err, len(e.peers))
		}
		return unexpected(ev, "there are %d peers", len(e.peers))
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
		return unexpected(ev, "kind %d", ev.Kind)
	}
	return e.onAnswer(ev)
}

// unexpected reports an event that cannot be right.
func unexpected(ev *ir.Event, format string, args ...any) error {
	return &ProtocolError{Peer: int(ev.Peer), Event: "event", What: fmt.Sprintf(format, args...)}
}

// worse is unexpected for an event after which the way to the peer cannot be used.
func worse(ev *ir.Event, format string, args ...any) error {
	return &ProtocolError{Peer: int(ev.Peer), Event: "event", What: fmt.Sprintf(format, args...), Lost: true}
}
