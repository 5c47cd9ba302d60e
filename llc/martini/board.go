package martini

// Boards returns how many boards there are.
func (t *Translator) Boards() int { return t.NIC().Boards() }

// Raise raises a flag and wakes those of peers that sleep. If the NIC refuses,
// its tables are not what they were: nobody can be reached any more.
func (t *Translator) Raise(peers []int, board int, seq, mark uint32, data []byte) {
	if t.pole == nil {
		pole, err := t.NIC().Flagpole(t.NIC().Next())
		if err != nil {
			t.LoseFrom(-1, err)
			return
		}
		t.pole = pole
	}
	if err := t.pole.Raise(board, seq, mark, data); err != nil {
		t.LoseFrom(-1, err)
		return
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
