package sim

import (
	"time"

	"rhinet/llc"
	"rhinet/llc/ir"
)

// Place puts a packet into the ring of a peer that peer from has opened, like Place of ir.Express.
func (n *Net) Place(from, peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	ring, ok := n.opened[[2]int{from, peer}]
	if !ok {
		n.broken("peer %d places a packet for %d, whose ring it has not opened", from, peer)
		return
	}
	cmd := ir.Command{Op: ir.Packet, Peer: int32(peer), Ring: ring, Slot: slot, Pos: pos, Data: data}
	cmd.Header.Unpack(head, len(data))
	n.Post(from, &cmd)
}

// Look shows the next packet in the ring that another peer writes, like Look of ir.Express.
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

// Take consumes the packet that the latest Look has shown, like Take of ir.Express.
func (n *Net) Take(at int, v *ir.View) {
	c := &n.nics[at]
	c.last = &c.rings[v.Ring]
	c.lent = v.Data
	n.consume(c)
}

// Consumed returns what a peer has consumed of the ring that peer from has opened, like Consumed of ir.Express.
func (n *Net) Consumed(from, peer int) (slot, pos uint64) {
	ev := n.carryOut(from, &ir.Command{Op: ir.ReadTail, Peer: int32(peer), Ring: n.opened[[2]int{from, peer}]})
	return ev.Slot, ev.Pos
}

// direct sends by the ready lane as much as the engine lets go, and reports whether anything has gone.
func (w *world) direct(i int, s *send) bool {
	if s.req.Mode == llc.Synchronous || !w.net.chance(w.Lane) {
		return false
	}
	e, data, gone := w.ranks[i].engine, message(&s.req), 0
	n := len(data)
	var head [3]uint64
	if l := e.Lane(s.to); l.Admits(s.tag, n) {
		head[0], head[1], head[2] = llc.LineWords(llc.MakeKey(s.ctx, s.req.Type), s.tag, n)
		w.net.Place(i, s.to, l.Step(), 0, &head, data)
		s.direct = true
		return true
	}
	most := 1 + w.rng.IntN(2*n+1)
	if s.req.Body == nil && !e.Packs(s.to, n) && !(w.net.chance(w.Lane) && e.Roomy(s.to, n)) {
		return false
	}
	for gone < n {
		slot, pos, part, ok := e.Part(s.to, s.tag, gone, n, most)
		if !ok && w.refresh(i, s.to, s.tag, n) {
			continue
		}
		if !ok {
			break
		}
		llc.FragmentWords(&head, gone)
		if gone == 0 {
			llc.EagerWords(&head, llc.MakeKey(s.ctx, s.req.Type), s.tag, n)
		}
		w.net.Place(i, s.to, slot, pos, &head, data[gone:gone+part])
		gone += part
	}
	if s.direct = n > 0 && gone == n; gone > 0 && !s.direct {
		e.SendRest(&s.req, gone)
	}
	return gone > 0
}

// refresh has the engine know how far a peer has consumed its ring, and reports whether there is more room.
func (w *world) refresh(i, to, tag, n int) bool {
	e := w.ranks[i].engine
	if !w.net.chance(w.Lane) || !e.Free(to, tag, n) {
		return false
	}
	slot, pos := w.net.Consumed(i, to)
	return e.Refresh(to, slot, pos)
}

// accept receives by the ready lane, if the engine lets it and the packet is there. Of a message in several
// packets it takes some of those that are there, and leaves the others to the slow path.
func (w *world) accept(i int, r *receive) bool {
	e := w.ranks[i].engine
	if r.src < 0 || !w.net.chance(w.Lane) || !e.Vacant(r.ctx, r.src) {
		return false
	}
	var v ir.View
	if !w.net.Look(i, r.src, &v) {
		return false
	}
	key, tag := llc.MakeKey(r.ctx, r.req.Type), r.tag
	l := e.Lane(r.src)
	room := r.req.Bytes()
	size, ok := l.Whole(key, tag, v.Head[0], v.Head[1]>>32<<32|uint64(len(v.Data)), v.Head[2], v.Ring, room)
	if ok = ok && r.req.Body == nil && e.Unmet(l, key); ok {
		l.Came()
	} else if size, tag, ok = e.Accept(r.src, key, tag, &v, room); !ok {
		return r.req.Body == nil && w.fetch(i, r, key, &v)
	}
	got := len(v.Data)
	r.req.Scatter(v.Data, 0)
	w.net.Take(i, &v)
	for got < size && w.net.chance(w.Lane) && w.net.Look(i, r.src, &v) {
		n := e.Next(r.src, &v, got, size)
		if n == 0 {
			break
		}
		r.req.Scatter(v.Data, got)
		w.net.Take(i, &v)
		got += n
	}
	if r.direct = got == size; r.direct {
		r.req.Status = llc.Status{Source: r.src, Tag: tag, Bytes: int64(size)}
		return true
	}
	e.AcceptRest(&r.req, size, tag, got)
	return true
}

// gather has the engine take the next packet of some peer by the ready lane, and reports whether it did.
func (w *world) gather(i int) bool {
	var v ir.View
	if !w.net.chance(w.Lane) || !w.net.Look(i, w.rng.IntN(w.Peers), &v) {
		return false
	}
	e := w.ranks[i].engine
	if e.Deliver(&v) {
		w.net.Take(i, &v)
	} else if o, into, met := e.Meet(&v); met {
		w.net.Take(i, &v)
		w.draw(i, v.Peer, &o, into)
	} else {
		return false
	}
	w.move()
	return true
}

// draw reads a message that has met a posted receive; a message that cannot be read is moved by the engine.
func (w *world) draw(i, src int, o *llc.Offer, into []byte) {
	e := w.ranks[i].engine
	if into == nil {
		return
	}
	if w.net.Read(i, src, o.Segment, into) != nil {
		e.Unread(src, o)
	} else {
		e.Fetched(src, o, slow(o.Bytes))
	}
}

// slow decides whether reading a message of n bytes counts as slow.
func slow(n int) bool { return n%3 == 0 }

// lasting decides how long a Pull or a Push takes that is timed: a nanosecond for each byte, and a Push ten, if a read
// of as many bytes counts as slow.
func lasting(cmd *ir.Command) time.Duration {
	n := time.Duration(len(cmd.Data))
	if cmd.Op == ir.Push && slow(len(cmd.Data)) {
		return 10 * n
	}
	return n
}

// Lend exposes memory of a peer, like Lend of ir.Lender.
func (n *Net) Lend(from, peer int, data []byte) (ir.Segment, error) {
	if err := n.refusal(from, &ir.Command{Op: ir.Expose, Peer: int32(peer), Data: data}); err != nil {
		return 0, err
	}
	return n.nics[from].export(data), nil
}

// Read copies memory that a peer has exposed, like ReadMemory of ir.Remote.
func (n *Net) Read(at, peer int, s ir.Segment, buf []byte) error {
	ev := n.carryOut(at, &ir.Command{Op: ir.Pull, Peer: int32(peer), Segment: s, Data: buf})
	return ev.Err
}

// offer begins a send by the lane of offers, if the engine lets it, and reports whether it did.
func (w *world) offer(i int, s *send) bool {
	e := w.ranks[i].engine
	if s.req.Body != nil || !w.net.chance(w.Lane) || !e.Offers(s.to, len(s.req.Buf)) {
		return false
	}
	segment, err := w.net.Lend(i, s.to, s.req.Buf)
	if err == nil {
		e.Offer(&s.req, segment)
	}
	return err == nil
}

// fetch reads the message that v offers by the lane of offers, if the engine lets it, and reports whether it
// did.
func (w *world) fetch(i int, r *receive, key llc.Key, v *ir.View) bool {
	e := w.ranks[i].engine
	o, ok := e.Offered(r.src, key, r.tag, v, len(r.req.Buf))
	if !ok || w.net.Read(i, r.src, o.Segment, r.req.Buf[:o.Bytes]) != nil {
		return false
	}
	w.net.Take(i, v)
	e.Fetched(r.src, &o, slow(o.Bytes))
	r.direct = true
	r.req.Status = llc.Status{Source: r.src, Tag: o.Tag, Bytes: int64(o.Bytes)}
	return true
}
