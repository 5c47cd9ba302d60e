package llc

import (
	"math"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The lane of offers: a driver whose NIC exposes memory and reads that of peers at once ([ir.Lender], [ir.Remote]) does
// the two for itself, in the place of a command, its answer, and what the engine keeps from one to the other:
// the sender before it offers, and the receiver when a message has come that it moves alone. The packets are those of
// rendezvous.go; so one side may take the lane and the other not.

// Offers reports whether a message of n bytes to dst is offered, by the first NIC, and one that its receiver moves alone: then the
// driver may expose its memory, and call Offer in the place of Send. Of one that both sides move it is not worth it: between
// its two answers the driver sees what the other side offers, by which they divide the work.
func (e *Engine) Offers(dst, n int) bool {
	p := &e.peers[dst]
	return !p.packs(uint64(n)) && uint64(n) <= p.nic.pulled && p.out == outRing && p.end == nil && p.nic == &e.nics[0] && e.transfers.any()
}

// Offer is Send of r, of which Offers has said so, and whose memory has been exposed as s; the engine conceals it.
func (e *Engine) Offer(r *Request, s ir.Segment) {
	r.lent = s
	e.start(&e.peers[r.Peer], r)
}

// any reports whether there is a transfer to be had.
func (ts *transfers) any() bool { return ts.free != nil || len(ts.table) < ts.limit }

// An Offer is a message that lies in memory of its sender.
type Offer struct {
	Segment ir.Segment
	Bytes   int
	Tag     int
	id      uint32
}

// Offered takes apart v, the next packet of src, if that offers a message which Accept would take if it came in packets, and
// which this side moves alone: then the driver may read it, and call Fetched. Nothing has happened yet, nor if ok is false.
func (e *Engine) Offered(src int, key Key, tag int, v *ir.View, room int) (o Offer, ok bool) {
	p := &e.peers[src]
	its, size, c := int(int32(v.Head[1]>>32)), v.Head[2], p.nic.copies
	if uint32(v.Head[0]>>32) != uint32(wire.RTS)|uint32(key)<<16 || its != tag && tag != AnyTag || its < 0 ||
		size == 0 || size > uint64(room) || size > p.nic.pulled || len(v.Data) != wire.RTSBytes || c.head != nil || c.running != 0 ||
		^v.Ring != p.via || p.in.size != 0 || !e.table.Vacant(uint16(key), int32(src)) {
		return o, false
	}
	body, err := wire.ParseRTS(size, v.Data)
	if err != nil || body.Type() != key.Type() || body.Segment() == 0 {
		return o, false
	}
	return Offer{Segment: ir.Segment(body.Segment()), Bytes: int(size), Tag: its, id: body.ID()}, true
}

// Fetched tells src that the message which Offered has described is here, and whether reading it took long (see [ir.Caps.Offered]), and reports whether that has gone: else
// somebody must go on driving the engine. The driver has consumed the packet.
func (e *Engine) Fetched(src int, o *Offer, slow bool) (gone bool) {
	p, h := &e.peers[src], header(wire.FIN, uint64(o.id))
	p.seen++
	if slow {
		h.Flags = wire.Slow
	}
	e.control(p, h, nil)
	return p.queues.controls.head == nil
}

// pulledAlone returns the length of the longest message that a receiver moves alone, by a NIC with these protocols.
func pulledAlone(rows []row, c *ir.Caps) uint64 {
	if !c.Remote {
		return 0
	}
	return min(rows[1].most, math.MaxInt64)
}
