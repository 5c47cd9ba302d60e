package checksum

import "rhinet/llc/ir"

// An express is that of a translator with checksums.
type express struct {
	t      *translator
	x      ir.Express
	looked *peer // whose packet the latest Look has shown
}

// Place places a packet with its checksum.
func (x *express) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	t := x.t
	at := place{from: int32(t.Self()), to: int32(peer), ring: true, number: slot}
	t.out = seal(append(t.out[:0], data...), packetSum(at, head, data))
	x.x.Place(peer, slot, pos, head, t.out)
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
	x.looked = &t.peers[peer]
	at := place{from: int32(peer), to: int32(t.Self()), ring: true, number: x.looked.fromRing}
	payload, ok := t.open(at, &v.Head, v.Data)
	v.Data = payload
	return ok
}

// Take consumes the packet that the latest Look has shown.
func (x *express) Take() {
	x.looked.fromRing++
	x.x.Take()
}

// Advance is Take, and Look at the same peer.
func (x *express) Advance(v *ir.View) bool {
	x.looked.fromRing++
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
