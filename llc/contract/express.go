package contract

import "rhinet/llc/ir"

// An express is that of a monitor's translator. Its packets are checked by the same rules as those of Post
// and Poll.
type express struct {
	m *monitor
	x ir.Express
	// looked is what the latest Look has found and Take has not consumed.
	looked ir.Event
	found  bool
}

func (x *express) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	m := x.m
	m.enter("Place")
	cmd := ir.Command{Op: ir.Packet, Peer: int32(peer), Slot: slot, Pos: pos, Data: data}
	cmd.Header.Unpack(head, len(data))
	ring, open := m.opened[cmd.Peer]
	if cmd.Ring = ring; !open {
		m.misuse("express", "a packet is placed for peer %d, whose ring no command has named", peer)
	}
	m.post(&cmd, func() { x.x.Place(peer, slot, pos, head, data) })
	m.leave()
}

func (x *express) Look(peer int, v *ir.View) bool {
	m := x.m
	m.enter("Look")
	from := m.release()
	ok := x.x.Look(peer, v)
	m.released(from) // Look consumes, as Poll does
	x.saw("Look", peer, v, ok)
	m.leave()
	return ok
}

// saw notes what a look at the ring of peer has found.
func (x *express) saw(call string, peer int, v *ir.View, ok bool) {
	if x.found = ok; !ok {
		return
	}
	if v.Peer != peer {
		x.m.breach("express", "%s for peer %d finds a packet of peer %d", call, peer, v.Peer)
	}
	x.looked = ir.Event{Kind: ir.Arrived, Peer: int32(peer), Ring: ir.Ring(v.Ring), Data: v.Data}
	x.looked.Header.Unpack(&v.Head, len(v.Data))
}

func (x *express) Take() {
	m := x.m
	m.enter("Take")
	from := x.taken("Take")
	x.x.Take()
	m.released(from)
	m.leave()
}

// taken notes that what the latest look has found is consumed.
func (x *express) taken(call string) (from *way) {
	if !x.found {
		x.m.misuse("express", "%s is called although the latest Look found nothing, or twice", call)
	}
	x.found = false
	x.m.arrived(&x.looked) // it does not say whether earlier packets were refused
	return x.m.release()
}

func (x *express) Advance(v *ir.View) bool {
	m := x.m
	m.enter("Advance")
	from := x.taken("Advance")
	ok := x.x.Advance(v)
	m.released(from)
	x.saw("Advance", int(x.looked.Peer), v, ok)
	m.leave()
	return ok
}

func (x *express) PollOthers(peer int, ev *ir.Event) bool {
	ok := x.m.poll(ev, func(ev *ir.Event) bool { return x.x.PollOthers(peer, ev) }, false)
	if ok && ev.Kind == ir.Arrived && ev.Peer == int32(peer) && ev.Ring != ir.NoRing {
		x.m.breach("express", "PollOthers takes a packet of the ring that peer %d writes", peer)
	}
	return ok
}

func (x *express) Consumed(peer int) (slot, pos uint64, ok bool) {
	m := x.m
	m.enter("Consumed")
	ring, open := m.opened[int32(peer)]
	if !open {
		m.misuse("express", "Consumed asks for peer %d, whose ring no command has named", peer)
	}
	w := way{int32(peer), ring}
	low := m.free(w)
	if slot, pos, ok = x.x.Consumed(peer); ok && len(m.tails[w]) == 0 { // if a Tail is due, it may be older
		m.consumed(w, low, slot, pos)
	}
	m.leave()
	return slot, pos, ok
}
