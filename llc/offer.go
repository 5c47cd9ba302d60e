package llc

import (
	"math"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The lane of offers: a driver whose NIC exposes memory and reads that of peers at once ([ir.Lender],
// [ir.Remote]) does these two things itself, in place of a command, its answer, and what the engine keeps
// from one to the other. The sender does so before it offers, and the receiver when it finds the offer of a
// message that it moves alone. The packets are those of rendezvous.go; so one side may take the lane and the
// other not.

// Offers reports whether a message of n bytes to dst is offered, over the first NIC, and moved by its
// receiver alone: then the driver may expose its memory, and call Offer in place of Send. For a message that
// both sides move that is not worthwhile: between its two answers the driver sees the offer of the other
// side, by which they divide the work.
func (e *Engine) Offers(dst, n int) bool {
	p := &e.peers[dst]
	return !p.packs(uint64(n)) && uint64(n) <= p.nic.pulled && p.out == outRing && p.end == nil && p.nic == &e.nics[0] && e.transfers.any()
}

// Offer is Send of r, for which Offers has reported true, and whose memory has been exposed as s; the engine
// conceals it.
func (e *Engine) Offer(r *Request, s ir.Segment) {
	r.lent = s
	e.start(&e.peers[r.Peer], r)
}

// any reports whether another transfer may begin.
func (ts *transfers) any() bool { return ts.free != nil || len(ts.table) < ts.limit }

// An Offer is a message that lies in memory of its sender.
type Offer struct {
	Segment ir.Segment
	Bytes   int
	Tag     int
	id      uint32
	typ     uint32
	r       *Request // the receive that it has met, see Meet
}

// offer parses v, the next packet of p, which is an RTS, if it offers a message of at most most bytes that
// this side moves alone and can move at once.
func (p *peer) offer(v *ir.View, most uint64) (o Offer, ok bool) {
	tag, size, c := int32(v.Head[1]>>32), v.Head[2], p.nic.copies
	if tag < 0 || size == 0 || size > min(most, p.nic.pulled) || c.head != nil || c.running != 0 || ^v.Ring != p.via || p.in.size != 0 {
		return o, false
	}
	body, err := wire.ParseRTS(size, v.Data)
	if err != nil || body.Segment() == 0 {
		return o, false
	}
	return Offer{Segment: ir.Segment(body.Segment()), Bytes: int(size), Tag: int(tag), id: body.ID(), typ: body.Type()}, true
}

// Offered parses v, the next packet of src, if it offers a message which Accept would take if it came in
// packets, and which this side moves alone: then the driver may read the message, and call Fetched. Offered
// changes nothing.
func (e *Engine) Offered(src int, key Key, tag int, v *ir.View, room int) (o Offer, ok bool) {
	p := &e.peers[src]
	if uint32(v.Head[0]>>32) != uint32(wire.RTS)|uint32(key)<<16 {
		return o, false
	}
	o, ok = p.offer(v, uint64(room))
	return o, ok && (o.Tag == tag || tag == AnyTag) && o.typ == key.Type() && e.table.Vacant(uint16(key), int32(src))
}

// Meet takes v, the next packet of a peer, if it offers a message to a posted receive that this side moves
// alone. If met is false, nothing has changed. The driver reads the message into the buffer that it gets, and
// calls Fetched, or Unread if the NIC refuses. It gets no buffer if the engine moves the message, as it does
// unless the receive is plain. A message is not longer than what is copied at once, because nothing else is
// polled meanwhile.
func (e *Engine) Meet(v *ir.View) (o Offer, into []byte, met bool) {
	p := &e.peers[v.Peer]
	if uint16(v.Head[0]>>32) != uint16(wire.RTS) {
		return o, nil, false
	}
	if o, met = p.offer(v, uint64(p.nic.copies.large)); !met {
		return o, nil, false
	}
	if o.r, _ = e.table.Arrive(uint16(v.Head[0]>>48), p.number, int32(o.Tag), o.typ); o.r == nil {
		return o, nil, false
	}
	p.seen++
	if r := o.r; !r.early && r.Type == o.typ && o.Bytes <= len(r.Buf) { // a receive with a Body has no Buf
		return o, r.Buf[:o.Bytes], true
	}
	e.moves(p, &o)
	return o, nil, true
}

// moves has the engine move a message that has met a receive.
func (e *Engine) moves(p *peer, o *Offer) {
	e.receiveOffered(p, o.r, int32(o.Tag), uint64(o.Bytes), o.Segment, wire.Layout{}, o.id, o.typ)
}

// Unread has the engine move a message of src that Meet has returned and that the driver could not read.
func (e *Engine) Unread(src int, o *Offer) { e.moves(&e.peers[src], o) }

// Fetched tells src that the message which Offered or Meet has returned is here, and whether reading it was
// slow (see [ir.Caps.Offered]), and completes the receive that Meet has found. It reports whether the FIN has
// gone; if not, the caller must go on driving the engine. The driver has consumed the packet.
func (e *Engine) Fetched(src int, o *Offer, slow bool) (gone bool) {
	p, h := &e.peers[src], header(wire.FIN, uint64(o.id))
	if slow {
		h.Flags = wire.Slow
	}
	if e.control(p, h, nil); o.r == nil {
		p.seen++
	} else {
		e.receivedWhole(o.r, p.number, int32(o.Tag), o.Bytes)
	}
	return p.queues.controls.head == nil
}

// pulledAlone returns the length of the longest message that a receiver moves alone over a NIC with these
// protocols.
func pulledAlone(rows []row, c *ir.Caps) uint64 {
	if !c.Remote {
		return 0
	}
	return min(rows[1].most, math.MaxInt64)
}
