package sim

import (
	"rhinet/llc"
	"rhinet/llc/ir"
)

// Place puts a packet into the ring of v.Peer that peer from has opened, as
// ir.Express's Place.
func (n *Net) Place(from int, slot uint64, v *ir.View) {
	ring, ok := n.opened[[2]int{from, v.Peer}]
	if !ok {
		n.broken("peer %d places a packet for %d, whose ring it has not opened", from, v.Peer)
		return
	}
	cmd := ir.Command{Op: ir.Packet, Peer: int32(v.Peer), Ring: ring, Slot: slot, Data: v.Data}
	cmd.Header.Unpack(&v.Head, len(v.Data))
	n.Post(from, &cmd)
}

// Look shows the next packet in the ring that another peer writes, as ir.Express's
// Look.
func (n *Net) Look(at, peer int, v *ir.View) bool {
	c := &n.nics[at]
	n.consume(c)
	n.skip(c)
	for _, pick := range n.choices(c) {
		if pick.from != fromRing || int(c.rings[pick.index].writer) != peer {
			continue
		}
		p := &c.rings[pick.index].packets[0]
		*v = ir.View{Head: p.header.Words(), Data: p.data, Peer: peer, Ring: uint32(pick.index)}
		return true
	}
	return false
}

// Take consumes the packet that the latest Look has shown, as ir.Express's Take.
func (n *Net) Take(at int, v *ir.View) {
	c := &n.nics[at]
	c.last = &c.rings[v.Ring]
	c.lent = v.Data
	n.consume(c)
}

// direct sends by the ready lane, if the engine lets it.
func (w *world) direct(i int, s *send) bool {
	if s.req.Mode != llc.Standard || !w.net.chance(w.Lane) {
		return false
	}
	slot, ok := w.ranks[i].engine.Direct(s.to, s.tag, len(s.req.Buf))
	if !ok {
		return false
	}
	s.direct = true
	v := ir.View{Data: s.req.Buf, Peer: s.to}
	llc.EagerWords(&v.Head, llc.MakeKey(s.ctx, s.req.Type), s.tag, len(s.req.Buf))
	w.net.Place(i, slot, &v)
	return true
}

// accept receives by the ready lane, if the engine lets it and the packet is there.
func (w *world) accept(i int, r *receive) bool {
	if r.src < 0 || !w.net.chance(w.Lane) || !w.ranks[i].engine.Vacant(r.ctx, r.src) {
		return false
	}
	var v ir.View
	if !w.net.Look(i, r.src, &v) || !w.ranks[i].engine.Accept(&r.req, &v) {
		return false
	}
	w.net.Take(i, &v)
	return true
}
