package martini

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// FlagBytes is the payload of a flag line: what follows its first two words,
// of which the first carries the sequence.
const FlagBytes = 48

// A Flagpole raises flags at a node: lines that each have one writer and lie
// by board, parity of the sequence, and writer. A flag goes out by BOTF. It
// belongs to one goroutine at a time.
type Flagpole struct {
	route
	lines []ring.Line
}

// Flagpole opens the boards of a node.
func (n *NIC) Flagpole(w *Window, rank int) (*Flagpole, error) {
	p := new(Flagpole)
	if err := p.find(n, w, rank, sidBoards); err != nil {
		return nil, err
	}
	p.lines = n.f.Lines(rank, fabric.Boards)
	return p, nil
}

// flagAt returns the number of a line, or -1.
func (n *NIC) flagAt(board, writer int, seq uint32) int {
	if uint(board) >= uint(n.boards) || uint(writer) >= uint(n.ranks) {
		return -1
	}
	return (board*2+int(seq&1))*n.ranks + writer
}

// Raise writes seq, which is not 0, and at most FlagBytes bytes of data.
func (p *Flagpole) Raise(board int, seq uint32, data []byte) error {
	if err := p.ready(); err != nil {
		return err
	}
	at := p.nic.flagAt(board, p.nic.rank, seq)
	if at < 0 || len(data) > FlagBytes || seq == 0 {
		return p.nic.refuse(Refusal{
			Op: opBotf, Node: p.rank, Segment: makeSegment(sidBoards, ioGen), Offset: uint64(board), Bytes: len(data), Reason: BeyondSegment,
		})
	}
	l := ring.Line{0: uint64(seq)}
	switch len(data) {
	case 0:
	case 8:
		l[2] = binary.NativeEndian.Uint64(data)
	default:
		copy(fabric.LineBytes(&l)[ring.LineBytes-FlagBytes:], data)
	}
	ring.Publish(&p.lines[at], &l)
	return nil
}

// Raised reports whether the flag that writer raises here carries seq, and
// copies its payload to data if so.
func (n *NIC) Raised(flags []ring.Line, board, writer int, seq uint32, data []byte) bool {
	at := n.flagAt(board, writer, seq)
	if uint(at) >= uint(len(flags)) {
		return false
	}
	l := &flags[at]
	if ring.Acquire(l) != seq {
		return false
	}
	if len(data) == 8 {
		binary.NativeEndian.PutUint64(data, l[2])
	} else {
		copy(data, fabric.LineBytes(l)[ring.LineBytes-FlagBytes:])
	}
	return true
}

// Flags returns this node's own flag lines.
func (n *NIC) Flags() []ring.Line { return n.f.Lines(n.rank, fabric.Boards) }

// Swap compares and swaps a control word of a node and returns what the word
// held before.
func (w *Window) Swap(rank int, word, old, now uint64) (uint64, error) {
	r := &Refusal{Op: opSwap, Node: rank, Segment: makeSegment(sidControl, ioGen), Offset: word, Bytes: 8}
	key := w.entry.load(winKey)
	w.cont()
	if key&winValid == 0 {
		r.Reason = InvalidWindow
		return 0, w.nic.refuse(*r)
	}
	return w.nic.swap(r, makeKey(uint32(key), rank), old, now)
}
