package ir

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
	// Place is Post of the Packet p, of at most Inline bytes, into line slot of the
	// ring that the latest Open for p.Peer named. p.Ring is not used.
	Place(slot uint64, p *View)
	// Look fills v with the next packet in the packet ring that peer writes, and
	// reports whether there is one. The packet stays, and v holds, until the next
	// call of Take or Poll. One that cannot be right is not reported: Poll does.
	Look(peer int, v *View) bool
	// Take consumes the packet that the latest Look reported: its space is free on
	// return.
	Take()
	// PollOthers is Poll that leaves the packet ring that peer writes alone.
	PollOthers(peer int, ev *Event) bool
}
