package dimmnet2

import "rhinet/nicemu/fabric"

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// Flags raises this process's flags in the job's shared flag arrays: a flag is a BOTF that the
// InfiniBand switch delivers to all boards of the group, each of which reads its own copy (our
// choice; section 1 has a standard switch, which can do that). In the memory of the job it is one
// line, which all ranks read and only this process's NIC writes.
type Flags struct {
	nic *NIC
	*flagWriter
}

// Flags opens the flag arrays.
func (n *NIC) Flags() (*Flags, error) {
	if n.closed {
		return nil, n.refuse(Refusal{Op: OpBOTF, Rank: n.rank, Reason: Closed})
	}
	return &Flags{n, n.f.FlagWriter(n.rank)}, nil
}

// Raise writes seq, which is not 0, a mark, and at most fabric.FlagBytes bytes of
// data into the own flag of an array.
func (p *Flags) Raise(array int, seq, mark uint32, data []byte) error {
	n := p.nic
	switch {
	case n.closed:
		return n.refuse(Refusal{Op: OpBOTF, Rank: n.rank, Reason: Closed})
	case !p.flagWriter.Raise(array, seq, mark, data):
		return n.refuse(Refusal{Op: OpBOTF, Rank: n.rank, Reason: Outside})
	}
	n.own.tables[regSent]++
	return nil
}
