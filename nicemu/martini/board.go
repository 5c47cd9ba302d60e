package martini

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// FlagBytes is the payload of a flag line: what follows its first two words,
// of which the first carries the sequence.
const FlagBytes = 48

// A Flagpole raises this node's flags: lines of the job's boards, by board,
// sequence (modulo [fabric.FlagLines]), and node. All nodes have the boards among their I/O
// spaces and look there without a request, so however many look, a flag is one
// line, written once. It goes out by BOTF. A Flagpole belongs to one goroutine
// at a time.
type Flagpole struct {
	route
	lines  []ring.Line
	raised map[int]*ring.Line     // what the own lines hold, by number
	last   [fabric.FlagLines]pole // where of raised that is, for the board raised last by turn
}

// A pole is the own flag line of one board and turn.
type pole struct {
	at   int
	line *ring.Line // nil: none
}

// Flagpole opens the boards.
func (n *NIC) Flagpole(w *Window) (*Flagpole, error) {
	p := &Flagpole{raised: map[int]*ring.Line{}}
	if err := p.find(n, w, n.rank, sidBoards); err != nil {
		return nil, err
	}
	p.lines = n.f.Flags()
	return p, nil
}

// flagAt returns the number of a line, or -1.
func (n *NIC) flagAt(board, writer int, seq uint32) int {
	if uint(board) >= uint(n.boards) || uint(writer) >= uint(n.ranks) {
		return -1
	}
	return (board*fabric.FlagLines+int(seq%fabric.FlagLines))*n.ranks + writer
}

// Raise writes seq, which is not 0, a mark, and at most FlagBytes bytes of data.
func (p *Flagpole) Raise(board int, seq, mark uint32, data []byte) error {
	if err := p.ready(); err != nil {
		return err
	}
	at := p.nic.flagAt(board, p.nic.rank, seq)
	if at < 0 || len(data) > FlagBytes || seq == 0 {
		return p.nic.refuse(Refusal{
			Op: opBotf, Node: p.rank, Segment: makeSegment(sidBoards, ioGen), Offset: uint64(board), Bytes: len(data), Reason: BeyondSegment,
		})
	}
	own := &p.last[seq%fabric.FlagLines]
	if own.at != at || own.line == nil {
		p.turn(own, at)
	}
	l := own.line
	l[0] = uint64(seq) | uint64(mark)<<32
	switch len(data) {
	case 0:
	case 8:
		l[2] = binary.NativeEndian.Uint64(data)
	default:
		copy(fabric.LineBytes(l)[ring.LineBytes-FlagBytes:], data)
	}
	ring.Publish(&p.lines[at], l)
	return nil
}

// turn makes own the line with a number.
func (p *Flagpole) turn(own *pole, at int) {
	if p.raised[at] == nil {
		p.raised[at] = new(ring.Line)
	}
	*own = pole{at, p.raised[at]}
}

// Claim fetches the line of the flag that will be raised next, which the others
// have looked at: with it at hand, raising takes half as long.
func (p *Flagpole) Claim(board int, seq uint32) {
	if at := p.nic.flagAt(board, p.nic.rank, seq); at >= 0 {
		ring.Prefetch(&p.lines[at])
	}
}

// Raised reports whether the flag of writer carries seq. If so it returns the
// mark and copies the payload to data.
func (n *NIC) Raised(flags []ring.Line, board, writer int, seq uint32, data []byte) (mark uint32, raised bool) {
	at := n.flagAt(board, writer, seq)
	if uint(at) >= uint(len(flags)) {
		return 0, false
	}
	l := &flags[at]
	lead := ring.Lead(l)
	if uint32(lead) != seq {
		return 0, false
	}
	if len(data) == 8 {
		binary.NativeEndian.PutUint64(data, l[2])
	} else {
		copy(data, fabric.LineBytes(l)[ring.LineBytes-FlagBytes:])
	}
	return uint32(lead >> 32), true
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
