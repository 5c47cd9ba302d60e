package checksum

import "rhinet/llc/ir"

// An express is that of a translator with checksums.
type express struct {
	t      *translator
	x      ir.Express
	looked *way // of the packet that the latest Look has shown
}

// Place places a packet with its checksum.
func (x *express) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	t := x.t
	t.out = room(t.out, len(data)+sumBytes)
	x.x.Place(peer, slot, pos, head, t.peers[peer].toRing.seal(slot, head, t.out, data))
}

// Look fills v with a copy of the next packet, if it is what its sender wrote; else
// it is Poll that reports it.
func (x *express) Look(peer int, v *ir.View) bool {
	return x.x.Look(peer, v) && x.right(peer, v)
}

// right has v, the next packet of peer, be a copy, and reports whether it is what its sender wrote.
func (x *express) right(peer int, v *ir.View) bool {
	t := x.t
	if t.gone(peer) {
		return false
	}
	w := &t.peers[peer].fromRing
	t.in = room(t.in, len(v.Data))
	payload, ok := w.open(w.count, &v.Head, t.in, v.Data)
	v.Data, x.looked = payload, w
	return ok
}

// Take consumes the packet that the latest Look has shown.
func (x *express) Take() {
	x.looked.count++
	x.x.Take()
}

// Advance is Take, and Look at the same peer.
func (x *express) Advance(v *ir.View) bool {
	x.looked.count++
	return x.x.Advance(v) && x.right(v.Peer, v)
}

// PollOthers is Poll that leaves the packet ring that peer writes alone.
func (x *express) PollOthers(peer int, ev *ir.Event) bool {
	for x.x.PollOthers(peer, ev) {
		if x.t.take(ev) {
			return true
		}
	}
	return x.t.tell(ev)
}
