package sync

import "rhinet/nicemu/fabric"

// A flagWriter is embedded by this name, so that nobody raises flags past the checks of Raise.
type flagWriter = fabric.FlagWriter

// Flags raises this node's flags in the job's shared flag arrays: a data packet that each RP passes on to its
// neighbours on the torus until all have it, along a tree (our choice; the specification names no multicast). In the memory of
// the job that is one line, which all look at and only the own NIC writes.
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
