package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// FlagBytes is the payload of a flag line.
const FlagBytes = fabric.FlagBytes

// A flagWriter is embedded by this name, so that nobody raises flags past the checks of Raise.
type flagWriter = fabric.FlagWriter

// A FlagWriter raises this node's flags (see [fabric.FlagWriter]): all nodes have
// the boards among their I/O spaces and look there without a request. A flag goes
// out by BOTF, after its rest, if it has one, by another. A FlagWriter belongs to one goroutine at a time.
type FlagWriter struct {
	route
	*flagWriter
}

// FlagWriter opens the boards.
func (n *NIC) FlagWriter(w *Window) (*FlagWriter, error) {
	p := &FlagWriter{flagWriter: n.f.FlagWriter(n.rank)}
	if err := p.find(n, w, n.rank, sidBoards); err != nil {
		return nil, err
	}
	return p, nil
}

// Raise writes seq, which is not 0, a mark, and at most FlagBytes bytes of data.
func (p *FlagWriter) Raise(board int, seq, mark uint32, data []byte) error {
	if err := p.ready(); err != nil {
		return err
	}
	if !p.flagWriter.Raise(board, seq, mark, data) {
		return p.nic.refuse(Refusal{
			Op: opBotf, Node: p.rank, Segment: makeSegment(sidBoards, ioGen), Offset: uint64(board), Bytes: len(data), Reason: BeyondSegment,
		})
	}
	return nil
}

// Raised reports whether the flag of writer carries seq. If so it returns the
// mark and copies the payload to data.
func (n *NIC) Raised(flags []ring.Line, board, writer int, seq uint32, data []byte) (mark uint32, raised bool) {
	return n.f.Raised(flags, board, writer, seq, data)
}

// Flags returns the lines of the boards, or nil after Close.
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
