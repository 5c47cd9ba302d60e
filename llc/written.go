package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Messages of medium length are fastest in packets if their sender has just written them, and fastest pulled
// if not: see [ir.Caps.Offered]. Only the receiver, whose NIC reads the sender's memory, can tell which it
// is, and says so in the FIN. Then the sender has the next ones go in packets, and offers some now and then,
// to notice a change. A sender that never writes its messages has all of them pulled. The first ones are
// offered: so a program that relies on Send to return before its receive is posted fails at once, and not now
// and then.

// packs reports whether a contiguous message of n bytes that is to go now goes in packets.
func (p *peer) packs(n uint64) bool {
	return n <= p.nic.offered || !p.written.over() && n <= p.nic.written
}

// Packs reports whether a contiguous message of n bytes goes to dst in packets now, which Part places, and
// counts it.
func (e *Engine) Packs(dst, n int) bool {
	p := &e.peers[dst]
	ok := p.packs(uint64(n))
	if ok {
		p.packed(uint64(n))
	}
	return ok
}

// packed counts a message of n bytes that goes in packets.
func (p *peer) packed(n uint64) {
	if n > p.nic.offered {
		p.written.pass()
	}
}

// row returns the protocol for a send.
func (p *peer) row(r *Request) *row {
	n := uint64(r.Bytes())
	if n <= p.nic.offered || n > p.nic.eager || r.Body != nil {
		return p.nic.rowFor(n)
	}
	if !p.packs(n) {
		p.written.try()
		return &p.nic.rows[1]
	}
	p.packed(n)
	return &p.nic.rows[0]
}

// heed takes a FIN that says that reading was slow.
func (e *Engine) heed(p *peer, ev *ir.Event) error {
	h := &ev.Header
	if h.Flags != wire.Slow {
		return protocolError(ev, "flags %#x", h.Flags)
	}
	h.Flags = 0
	err := e.tellTheirs(p, gotFIN, ev)
	if err != nil {
		return err
	}
	p.written.begin()
	return nil
}
