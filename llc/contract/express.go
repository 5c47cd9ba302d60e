package contract

import "rhinet/llc/ir"

// An express is that of a monitor's translator. Its packets are held against the
// same sentences as those of Post and Poll.
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
	if x.found = ok; ok {
		if v.Peer != peer {
			m.breach("express", "Look for peer %d finds a packet of peer %d", peer, v.Peer)
		}
		x.looked = ir.Event{Kind: ir.Arrived, Peer: int32(peer), Ring: ir.Ring(v.Ring), Data: v.Data}
		x.looked.Header.Unpack(&v.Head, len(v.Data))
	}
	m.leave()
	return ok
}

func (x *express) Take() {
	m := x.m
	m.enter("Take")
	if !x.found {
		m.misuse("express", "Take is called although the latest Look found nothing, or twice")
	}
	x.found = false
	m.arrived(&x.looked) // it says nothing of packets that may still be refused
	from := m.release()
	x.x.Take()
	m.released(from)
	m.leave()
}

func (x *express) PollOthers(peer int, ev *ir.Event) bool {
	ok := x.m.poll(ev, func(ev *ir.Event) bool { return x.x.PollOthers(peer, ev) }, false)
	if ok && ev.Kind == ir.Arrived && ev.Peer == int32(peer) && ev.Ring != ir.NoRing {
		x.m.breach("express", "PollOthers takes a packet of the ring that peer %d writes", peer)
	}
	return ok
}
