package checksum

import (
	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// An express is that of a translator with checksums.
type express struct {
	t      *translator
	x      ir.Express
	looked *way           // way of the packet that the latest Look has shown
	lanes  ir.Lanes       // of the translator; nil: none
	outs   []*ring.Outlet // for lines to each peer; nil: they are placed
}

// Place places a packet with its checksum.
func (x *express) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	t := x.t
	if len(t.out) < len(data)+sumBytes {
		t.out = room(t.out, len(data)+sumBytes)
	}
	sealed := t.peers[peer].toRing.seal(slot, head, t.out, data)
	if o := x.outs[peer]; o == nil || len(sealed) > ir.Short ||
		!o.Line(slot, head[0]&^ringsOwn, head[1]&^ringsOwn|uint64(len(sealed)), head[2], sealed) {
		x.x.Place(peer, slot, pos, head, sealed)
	} else if o.Asleep() {
		t.Wake(peer)
	}
}

// Outlet has sealed lines to peer go by the outlet of the translator from now on. It returns nil: lines
// without a checksum have no outlet.
func (x *express) Outlet(peer int) *ring.Outlet {
	x.outs[peer] = x.lanes.Outlet(peer)
	return nil
}

// Inlet returns nil: a reader of an inlet would not verify checksums.
func (x *express) Inlet(int) *ring.Inlet { return nil }

// Look fills v with a copy of the next packet, if it is what its sender wrote; if it is not, Poll reports it.
func (x *express) Look(peer int, v *ir.View) bool {
	return x.x.Look(peer, v) && x.right(peer, v)
}

// right replaces the payload of v, the next packet of peer, by a copy, and reports whether it is what its
// sender wrote.
func (x *express) right(peer int, v *ir.View) bool {
	t := x.t
	if t.gone(peer) {
		return false
	}
	w := &t.peers[peer].fromRing
	if len(t.in) < len(v.Data) {
		t.in = room(t.in, len(v.Data))
	}
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

// PollOthers is Poll, except that it leaves out the packet ring that peer writes.
func (x *express) PollOthers(peer int, ev *ir.Event) bool {
	for x.x.PollOthers(peer, ev) {
		if x.t.take(ev) {
			return true
		}
	}
	return x.t.tell(ev)
}

// Consumed is that of the translator.
func (x *express) Consumed(peer int) (slot, pos uint64, ok bool) { return x.x.Consumed(peer) }
