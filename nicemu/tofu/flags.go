package tofu

import "rhinet/nicemu/fabric"

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// A FlagWriter raises this node's flags: lines of the job's shared flag arrays, which all nodes
// have registered under one static tag and read without an order. No order can put there: only the
// node's own NIC writes a flag.
type FlagWriter struct {
	way *Way
	*flagWriter
}

// FlagWriter opens the flag arrays at a port.
func (p *Port) FlagWriter() (*FlagWriter, error) {
	w, err := p.way(p.nic.rank, TagFlagArrays, MayGet)
	if err != nil {
		return nil, err
	}
	return &FlagWriter{w, p.nic.f.FlagWriter(p.nic.rank)}, nil
}

// Raise writes seq, which is not 0, a mark, and at most fabric.FlagBytes bytes of
// data into the own flag of an array.
func (p *FlagWriter) Raise(array int, seq, mark uint32, data []byte) error {
	w := p.way
	if !w.good() {
		return w.post(Get, 0, nil)
	}
	if !p.flagWriter.Raise(array, seq, mark, data) {
		return w.port.nic.refuse(Refusal{Command: Direct, Node: w.node, Tag: w.tag, Offset: uint64(array), Bytes: len(data), Reason: Beyond})
	}
	w.port.complete(0)
	return nil
}
