package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// FlagBytes is the largest payload of a flag.
const FlagBytes = fabric.FlagBytes

// A flagWriter is embedded under this name, so that other packages cannot raise flags without the
// checks of Raise.
type flagWriter = fabric.FlagWriter

// A FlagWriter raises this node's flags (see [fabric.FlagWriter]): all nodes have the flag arrays
// in their I/O spaces and read them without a request. A flag is sent by BOTF; if it has a rest,
// another BOTF sends that before. A FlagWriter belongs to one goroutine at a time.
type FlagWriter struct {
	route
	*flagWriter
}

// FlagWriter returns the writer of this node's flags.
func (n *NIC) FlagWriter(w *Window) (*FlagWriter, error) {
	p := &FlagWriter{flagWriter: n.f.FlagWriter(n.rank)}
	if err := p.find(n, w, n.rank, sidFlagArrays); err != nil {
		return nil, err
	}
	return p, nil
}

// Raise writes seq, which is not 0, a mark, and at most FlagBytes bytes of data.
func (p *FlagWriter) Raise(flagArray int, seq, mark uint32, data []byte) error {
	if err := p.ready(); err != nil {
		return err
	}
	if !p.flagWriter.Raise(flagArray, seq, mark, data) {
		return p.nic.refuse(Refusal{
			Op: opBotf, Node: p.rank, Segment: makeSegment(sidFlagArrays, ioGen), Offset: uint64(flagArray), Bytes: len(data), Reason: BeyondSegment,
		})
	}
	return nil
}

// Raised reports whether the flag of writer carries seq. If so it returns the
// mark and copies the payload to data.
func (n *NIC) Raised(flags []ring.Line, flagArray, writer int, seq uint32, data []byte) (mark uint32, raised bool) {
	return n.f.Raised(flags, flagArray, writer, seq, data)
}

// Flags returns the lines of the flag arrays, or nil after Close.
func (n *NIC) Flags() []ring.Line {
	if n.closed.Load() {
		return nil
	}
	return n.f.Flags()
}

// Swap compares and swaps a control word of a node and returns what the word
// held before.
func (w *Window) Swap(rank int, word, old, now uint64) (uint64, error) {
	r := Refusal{Op: opSwap, Node: rank, Segment: makeSegment(sidControl, ioGen), Offset: word, Bytes: 8}
	key := w.key()
	w.cont()
	if key&winValid == 0 {
		r.Reason, r.local = InvalidWindow, true
		return 0, w.nic.refuse(r)
	}
	seen, why := w.nic.swap(rank, makeKey(uint32(key), rank), word, old, now)
	if r.Reason = why; why != 0 {
		return 0, w.nic.refuse(r)
	}
	return seen, nil
}
