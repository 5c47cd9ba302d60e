package ir

// A Router is an optional ability of a translator (see [Abilities]): it reaches
// peers by several NICs. Its Caps are those of NIC 0, by which it reaches peers on its
// own host. What Expose registers is reached by the NIC of the peer that it names; Board, Memory, Remote
// and Express are of use among peers of NIC 0 only.
type Router interface {
	// NICs returns what the engine must know of each.
	NICs() []Caps
	// NIC returns which of them reaches a peer; 0 for this peer itself.
	NIC(peer int) int
	// Host returns the number of the host that a peer is on.
	Host(peer int) int
}

// CapsFor returns what the engine must know of the NIC by which t reaches a peer.
func CapsFor(t Translator, peer int) Caps {
	if r := AbilitiesOf(t).Router; r != nil {
		return r.NICs()[r.NIC(peer)]
	}
	return t.Caps()
}
