package cenju4

import "rhinet/nicemu/fabric"

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// A FlagWriter raises this node's flags: lines of the job's shared flag arrays, which all nodes
// have in their static segment, for reading. No parcel can write there: only the node's own NIC
// writes a flag. Our choice, the same as for the other NICs here.
type FlagWriter struct {
	way *Way
	*flagWriter
}

// FlagWriter opens the flag arrays.
func (n *NIC) FlagWriter() (*FlagWriter, error) {
	w, why := n.way(n.rank, FlagsAt, MayRead)
	if why != 0 {
		return nil, n.refuse(Refusal{Node: n.rank, Address: FlagsAt, Reason: why})
	}
	return &FlagWriter{w, n.f.FlagWriter(n.rank)}, nil
}

// Raise writes seq, which is not 0, a mark, and at most fabric.FlagBytes bytes of data into the
// own flag of an array.
func (p *FlagWriter) Raise(array int, seq, mark uint32, data []byte) error {
	n := p.way.nic
	why := Beyond
	switch {
	case n.closed.Load():
		why = Closed
	case !p.way.good():
		why = Stale
	case p.flagWriter.Raise(array, seq, mark, data):
		*p.way.sent++
		return nil
	}
	return n.refuse(Refusal{Node: n.rank, Address: FlagsAt, Bytes: len(data), Reason: why})
}
