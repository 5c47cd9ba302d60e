package martini

// Boards returns how many boards there are.
func (t *Translator) Boards() int { return t.NIC().Boards() }

// Raise raises a flag and wakes those of peers that sleep. It panics if the
// NIC refuses: the arguments are the caller's, and the boards of a job never
// go away.
func (t *Translator) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	if t.pole == nil {
		pole, err := t.NIC().Flagpole(t.NIC().Next())
		if err != nil {
			panic(err)
		}
		t.pole = pole
	}
	if err := t.pole.Raise(board, seq, mark, data); err != nil {
		panic(err)
	}
	for _, peer := range peers {
		t.Wake(peer)
	}
}

// Claim fetches the line of the own flag seq, if Raise has been called before.
func (t *Translator) Claim(board int, seq uint32) {
	if t.pole != nil {
		t.pole.Claim(board, seq)
	}
}

// Raised reports whether the flag of peer carries seq. If so it returns the mark
// and copies the payload to data.
func (t *Translator) Raised(peer, board int, seq uint32, data []byte) (mark uint32, raised bool) {
	return t.NIC().Raised(t.flags, board, peer, seq, data)
}
