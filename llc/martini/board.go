package martini

// Boards returns how many boards there are.
func (t *Translator) Boards() int { return t.NIC().Fabric().Geometry().Boards }

// Raise writes a flag at peer. It panics if the NIC refuses: the arguments are
// the caller's, and the boards of a job never go away.
func (t *Translator) Raise(peer, board int, seq uint32, data []byte) {
	p := &t.peers[peer]
	if p.pole == nil {
		pole, err := t.NIC().Flagpole(t.NIC().Next(), peer)
		if err != nil {
			panic(err)
		}
		p.pole = pole
	}
	if err := p.pole.Raise(board, seq, data); err != nil {
		panic(err)
	}
	t.Wake(peer)
}

// Raised reports whether the flag that peer raises here carries seq, and
// copies its payload to data if so.
func (t *Translator) Raised(peer, board int, seq uint32, data []byte) bool {
	return t.NIC().Raised(t.flags, board, peer, seq, data)
}
