package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The way through a shared ring.
//
//	      Shared posted            any event but Busy, or none
//	Rest ---------------> Flying -----------------------------> Rest, next packet
//	  ^                     /
//	  +---- Retry ---- Busy
//
// At most one packet to a peer is in flight: only the next event tells that it was not refused, and a later
// packet must not overtake it.

// An inFlight is the packet in flight to a peer's shared ring.
type inFlight struct {
	up    bool
	turn  bool       // a Switch packet must go, or is the one in flight
	ask   bool       // it carries the Ask flag
	line  *sendQueue // its entry is the first there; nil: Switch
	n     int        // bytes of that entry
	token uint64
}

// fly emits a packet for the shared ring of p.
func (e *Engine) fly(p *peer, l *sendQueue, h ir.Header, data []byte, n int) {
	f := &p.inFlight
	f.up, f.ask, f.line, f.n = true, h.Flags&wire.Ask != 0, l, n
	f.token++
	e.inFlight = append(e.inFlight, p)
	c := e.emit()
	c.Op = ir.Shared
	c.Peer = p.number
	c.Header = h
	c.Header.Length = uint32(len(data))
	c.Data = data
	c.Offset = 0
	if l != nil {
		c.Offset = uint64(l.head.off)
	}
	c.Token = f.token
}

// pumpShared lets the next packet to p fly.
func (e *Engine) pumpShared(p *peer) {
	if p.inFlight.up {
		return
	}
	l := p.queues.pick()
	if l == nil {
		return
	}
	t := l.head
	h, n := t.nextPacket(p.nic.shared)
	if l == &p.queues.messages && p.out == outFresh && h.Kind != wire.Fragment && p.nic.caps.Rings > 0 {
		h.Flags |= wire.Ask
	}
	p.queues.bulkNext = l != &p.queues.bulk
	if n > 0 {
		e.fly(p, l, h, e.payload(t.message(), t.off, n), n)
		return
	}
	e.fly(p, l, h, t.body[:t.n], n)
	e.keepBody()
}

// settle notes that the packets posted to shared rings were not refused.
func (e *Engine) settle() {
	list := e.inFlight[:e.posted]
	rest := append(e.landed[:0], e.inFlight[e.posted:]...)
	e.inFlight, e.landed, e.posted = rest, list, 0
	for _, p := range list {
		e.land(p)
	}
}

func (e *Engine) land(p *peer) {
	f := &p.inFlight
	f.up = false
	if p.end != nil {
		return
	}
	if f.ask {
		e.moveOut(p, outAsking)
	}
	if f.line == nil {
		f.turn = false
	} else {
		e.advance(p, f.line, f.n)
	}
	e.pump(p)
}

// onBusy takes back a packet that found the shared ring full.
func (e *Engine) onBusy(ev *ir.Event) error {
	p := &e.peers[ev.Peer]
	if !p.inFlight.up || ev.Token != p.inFlight.token {
		return unexpected(ev, "no packet %d is on its way", ev.Token)
	}
	for i, q := range e.inFlight[:e.posted] {
		if q == p {
			e.inFlight = append(e.inFlight[:i], e.inFlight[i+1:]...)
			e.posted--
			p.inFlight.up = false
			if p.end == nil {
				e.wait(p)
			}
			return nil
		}
	}
	return unexpected(ev, "packet %d has not been posted", ev.Token)
}
