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
// One packet to a peer flies at a time: only the next event tells that it was
// not refused, and a later packet must not pass it.

// A flight is the packet on its way to a peer's shared ring.
type flight struct {
	up    bool
	turn  bool       // a Switch packet must go, or is the one that flies
	ask   bool       // it carries the Ask flag
	line  *trainLine // whose first train it belongs to; nil: Switch
	n     int        // bytes of that train
	token uint64
}

// fly emits a packet for the shared ring of p.
func (e *Engine) fly(p *peer, l *trainLine, h ir.Header, data []byte, n int) {
	f := &p.flight
	f.up, f.ask, f.line, f.n = true, h.Flags&wire.Ask != 0, l, n
	f.token++
	e.flights = append(e.flights, p)
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
	if p.flight.up {
		return
	}
	l := p.queues.pick()
	if l == nil {
		return
	}
	t := l.head
	h, data, n := e.nextPacket(t, p.nic.shared)
	if l == &p.queues.messages && p.out == outFresh && h.Kind != wire.Fragment && p.nic.caps.Rings > 0 {
		h.Flags |= wire.Ask
	}
	p.queues.bulkNext = l != &p.queues.bulk
	if t.n != 0 {
		e.fly(p, l, h, t.body[:t.n], n)
		e.keepBody()
		return
	}
	e.gatherFor(t, data)
	e.fly(p, l, h, data, n)
}

// settle notes that the packets posted to shared rings were not refused.
func (e *Engine) settle() {
	list := e.flights[:e.posted]
	rest := append(e.landed[:0], e.flights[e.posted:]...)
	e.flights, e.landed, e.posted = rest, list, 0
	for _, p := range list {
		e.land(p)
	}
}

func (e *Engine) land(p *peer) {
	f := &p.flight
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
	if !p.flight.up || ev.Token != p.flight.token {
		return stray(ev, "no packet %d is on its way", ev.Token)
	}
	for i, q := range e.flights[:e.posted] {
		if q == p {
			e.flights = append(e.flights[:i], e.flights[i+1:]...)
			e.posted--
			p.flight.up = false
			if p.end == nil {
				e.wait(p)
			}
			return nil
		}
	}
	return stray(ev, "packet %d has not been posted", ev.Token)
}
