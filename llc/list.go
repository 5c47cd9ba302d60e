package llc

import (
	"fmt"
	"slices"

	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Blocks that are not at equal distances are told of by a list, which is too long for a packet. What the packet has is a sum of it: a side
// that has a list with the same takes the other one's to be the same, and most often it is.
//
// Else it reads the other one's, which is exposed as the message is, for as long: it pulls the list in the place of the first piece that it moves, and then
// that piece. So the machines of a transfer know nothing of it; and who moves nothing, because the other side is quicker, reads no list.
//
// Who lies about a sum has other bytes of its own segment read or written than those of its list.

// A listing is the lists of a transfer.
type listing struct {
	mine, their strided.List // memory, kept for the next transfer
	sum         uint64       // of mine
	alike       bool         // both are the same
	segment     ir.Segment   // of mine, where the other side reads it
	exposing    bool         // which is about to be exposed
	theirs      ir.Segment   // where the other side's is that has not been read
	bytes       uint64       // that it is of
}

// lists reports whether a list of pieces that are worth it on the whole tells how the message of t lies on this side, and makes it.
func (n *nic) lists(t *transfer) bool {
	mem, l := t.r.Body.List(t.list.mine[:0], t.n, n.listed(uint64(t.n)))
	if mem == nil {
		return false
	}
	t.list.mine, t.list.sum = l, l.Sum()
	t.spread, t.move.Mine = mem, strided.Blocks{List: l}
	return true
}

// describe is that of a transfer whose message l tells of.
func (l *listing) describe(b []byte, word uint64, offer bool) int {
	if offer {
		(*wire.SummedBody)(b).Encode(word, l.sum, uint64(l.segment), uint32(l.mine.Pieces()))
		return wire.SummedBytes
	}
	(*wire.ListBody)(b).Encode(word, uint64(l.segment), uint32(l.mine.Pieces()))
	return wire.ListBytes
}

// listed is the most pieces of a list that tells of so many bytes.
func (n *nic) listed(bytes uint64) int {
	return int(min(bytes/(listedBlocks*uint64(n.caps.Blocks)), mostListed))
}

// listable reports whether a list can be that in tells of, for so many bytes.
func (n *nic) listable(in *wire.Layout, bytes uint64) bool {
	return uint64(in.Pieces) <= uint64(n.listed(bytes))
}

// same reports whether in tells of the same list for so many bytes as this side has: by its sum, or because the other side says so, which
// has seen the sum of this one.
func (t *transfer) same(in *wire.Layout, bytes uint64) bool {
	l := t.move.Mine.List
	return l != nil && in.Pieces == uint32(l.Pieces()) && bytes == uint64(l.Bytes()) &&
		(in.Sum == t.list.sum || in.List == 0)
}

// learn takes what the other side says of how a message of so many bytes lies there. How it lies on this side is known.
func (t *transfer) learn(in *wire.Layout, bytes uint64) {
	t.move.Their = in.Blocks
	l := &t.list
	switch l.alike = t.same(in, bytes); {
	case l.alike:
		t.move.Their.List = l.mine
	case in.Pieces != 0:
		n := int(in.Pieces) * strided.PieceBytes
		l.their, l.theirs, l.bytes = slices.Grow(l.their[:0], n)[:n], ir.Segment(in.List), bytes
	}
}

// readList makes cmd the one that reads the other side's list.
func (e *Engine) readList(t *transfer, cmd *ir.Command) {
	cmd.Op, cmd.Segment, cmd.Offset = ir.Pull, t.list.theirs, 0
	cmd.Data, cmd.Move = t.list.their, nil
	cmd.Token = e.owe(t, forPort)
}

// listRead takes the other side's list, if ev says that it has been read. One that cannot be makes it a refusal.
func (t *transfer) listRead(ev *ir.Event) error {
	if ev.Kind == ir.Failed {
		return nil
	}
	l := &t.list
	if l.theirs = 0; l.their.Holds(int(l.bytes)) {
		t.move.Their.List = l.their
		return nil
	}
	err := &ProtocolError{Peer: int(t.p.number), Event: "list",
		What: fmt.Sprintf("%v, not %d, of transfer %#x", l.their, l.bytes, t.id), Lost: true}
	ev.Kind, ev.Err = ir.Failed, err
	return err
}

// exposedList exposes the message of t after its list, and reports whether it does: not if the list could not be exposed.
func (e *Engine) exposedList(t *transfer, ev *ir.Event) bool {
	if t.list.exposing = false; ev.Kind != ir.Exposed || ev.Segment == 0 {
		return false
	}
	t.list.segment = ev.Segment
	e.exposeMemory(t, t.memory(0, t.n))
	return true
}
