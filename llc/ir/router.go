package ir

// A Router is an optional ability of a translator (see [Abilities]): it reaches peers by several NICs. Its
// Caps are those of NIC 0, by which it reaches peers on its own host. What Expose registers can be reached by
// the NIC of the peer that the command names. FlagArray, Memory, Remote and Express work among peers of NIC 0
// only.
type Router interface {
	// NICs returns the Caps of each NIC.
	NICs() []Caps
	// NIC returns the index of the NIC that reaches a peer; 0 for this peer itself.
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
