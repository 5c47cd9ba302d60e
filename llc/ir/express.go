package ir

import "rhinet/internal/ring"

// A View is a packet in a packet ring, where it lies. Its sender may still
// change the payload.
type View struct {
	Head [3]uint64 // as [Header.Words] packs them; the low halves of the first two are the ring's own
	Data []byte    // payload
	Peer int       // writer of the ring
	Ring uint32    // see [Ring]
}

// An Express is an optional ability of a translator (see [Abilities]): it places and takes the packets of one
// ring at a time, without making a Command and an Event of each. All of [Translator]'s contract holds, except
// that Look and Take say nothing of packets that may still be refused.
type Express interface {
	// Place is Post of a Packet to peer, into the ring that the latest Open for peer named: into line slot
	// and, if data and what the translator adds are longer than Short bytes, at data position pos. head is
	// as [Header.Words] packs it. head and data are borrowed until Place returns.
	Place(peer int, slot, pos uint64, head *[3]uint64, data []byte)
	// Look fills v with the next packet in the packet ring that peer writes, and reports whether there is
	// one. The packet stays, and v holds, until the next call of Take or Poll. Look consumes what the latest
	// Poll gave. A malformed packet is not reported by Look but by Poll.
	Look(peer int, v *View) bool
	// Take consumes the packet that the latest Look reported: its space is free on
	// return.
	Take()
	// Advance is Take, and then Look at the same peer with the same v.
	Advance(v *View) bool
	// PollOthers is Poll, except that it does not look at the packet ring that peer writes.
	PollOthers(peer int, ev *Event) bool
	// Consumed is ReadTail of the ring that the latest Open for peer named, with an immediate result: the line
	// and the data position up to which peer has consumed it. If ok is false, that is not known at once, and
	// ReadTail has to ask.
	Consumed(peer int) (slot, pos uint64, ok bool)
}

// Lanes are an optional ability of a translator that is an [Express] (see [Abilities]): packets of one line
// go into its rings, and packets of any length come out of them, without a call of the translator. A translator
// that wraps another one and must see all packets has no lanes.
type Lanes interface {
	// Outlet returns the ring that the latest Open for peer named, if lines may go into it, or nil. Writing a
	// line to it is like Place, except that if the outlet is Asleep afterwards, the caller calls Wake. The
	// outlet is valid until the next Open for peer.
	Outlet(peer int) *ring.Outlet
	// Inlet returns the packet ring that peer writes, or nil if none is watched. Taking a packet from it is
	// like Look and Take. After the end of peer it shows no packet.
	Inlet(peer int) *ring.Inlet
}
