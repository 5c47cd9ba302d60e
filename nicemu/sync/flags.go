package sync

import "rhinet/nicemu/fabric"

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// Flags raises this node's flags in the job's shared flag arrays: a flag is a data packet that the
// RPs forward along a tree of neighbours on the torus until all nodes have it (our choice; the
// specification has no multicast). In the memory of the job it is one line, which all nodes read
// and only this node's NIC writes.
type Flags struct {
	nic *NIC
	*flagWriter
}

// Flags opens the flag arrays.
func (n *NIC) Flags() (*Flags, error) {
	if n.closed {
		return nil, n.refuse("flag", n.rank, Closed)
	}
	return &Flags{n, n.f.FlagWriter(n.rank)}, nil
}

// Raise writes seq, which is not 0, a mark, and at most fabric.FlagBytes bytes of
// data into the own flag of an array.
func (p *Flags) Raise(array int, seq, mark uint32, data []byte) error {
	n := p.nic
	switch {
	case n.closed:
		return n.refuse("flag", n.rank, Closed)
	case !p.flagWriter.Raise(array, seq, mark, data):
		return n.refuse("flag", n.rank, NoFlag)
	}
	n.own.tables[regData]++
	return nil
}
