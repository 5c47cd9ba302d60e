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

// An Express is an optional ability of a translator (see [Abilities]): the
// packets of one ring at a time, placed and taken without a Command and an Event
// being made of each. All of [Translator]'s contract holds, except that Look and
// Take say nothing of packets that may still be refused.
type Express interface {
	// Place is Post of a Packet to peer, into line slot and, if data and what the
	// translator adds are more than Inline bytes, data position pos of the ring that the latest Open for peer
	// named. head is as [Header.Words] packs it. Both are borrowed until it returns.
	Place(peer int, slot, pos uint64, head *[3]uint64, data []byte)
	// Look fills v with the next packet in the packet ring that peer writes, and
	// reports whether there is one. The packet stays, and v holds, until the next
	// call of Take or Poll. Look consumes what the latest Poll gave. One that cannot be right is not reported: Poll does.
	Look(peer int, v *View) bool
	// Take consumes the packet that the latest Look reported: its space is free on
	// return.
	Take()
	// Advance is Take, and then Look at the same peer with the same v.
	Advance(v *View) bool
	// PollOthers is Poll that leaves the packet ring that peer writes alone.
	PollOthers(peer int, ev *Event) bool
}

// Lanes are an optional ability of a translator that is an [Express] (see [Abilities]): packets that are
// single lines pass its rings without a call of the translator. Whoever wraps a translator and has to see packets has no lanes.
type Lanes interface {
	// Outlet returns the ring that the latest Open for peer named, if lines may go into it, or nil. What goes there is as if
	// by Place; but if the outlet is Asleep afterwards, the caller calls Wake. It holds until the next Open
	// for peer.
	Outlet(peer int) *ring.Outlet
	// Inlet returns the packet ring that peer writes, or nil if none is watched. What is taken there is as if by Look and
	// Take. After the end of peer it shows no packet.
	Inlet(peer int) *ring.Inlet
}
