package llc

import (
	"fmt"
	"slices"

	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Blocks that are not at equal distances are described by a list, which is too long for a packet. The packet
// has a sum of the list: a side whose own list has the same sum assumes that the lists are equal, and most
// often they are.
//
// Otherwise it reads the list of the other side, which is exposed as the message is, and for as long: it
// pulls the list in place of the first piece that it moves, and then that piece. So the machines of a
// transfer do not know of lists; and a side that moves nothing, because the other one is faster, reads no
// list.
//
// A peer with a false sum has other bytes of its own segment read or written than those of its list.

// A listing holds the lists of a transfer.
type listing struct {
	mine, their strided.List // memory, kept for the next transfer
	sum         uint64       // of mine
	alike       bool         // both lists are the same
	segment     ir.Segment   // of mine, where the other side reads it
	exposing    bool         // the list is being exposed
	theirs      ir.Segment   // the other side's list, until it has been read
	bytes       uint64       // that theirs describes
}

// lists reports whether a list can describe the message of t on this side, with pieces that are long enough
// on the whole, and makes it.
func (n *nic) lists(t *transfer) bool {
	mem, l := t.r.Body.List(t.list.mine[:0], t.n, n.listed(uint64(t.n)))
	if mem == nil {
		return false
	}
	t.list.mine, t.list.sum = l, l.Sum()
	t.spread, t.move.Mine = mem, strided.Blocks{List: l}
	return true
}

// describe is transfer.describe for a message whose layout is a list.
func (l *listing) describe(b []byte, word uint64, offer bool) int {
	if offer {
		(*wire.SummedBody)(b).Encode(word, l.sum, uint64(l.segment), uint32(l.mine.Pieces()))
		return wire.SummedBytes
	}
	(*wire.ListBody)(b).Encode(word, uint64(l.segment), uint32(l.mine.Pieces()))
	return wire.ListBytes
}

// listed returns the largest number of pieces of a list of so many bytes.
func (n *nic) listed(bytes uint64) int {
	return int(min(bytes/(listedBlocks*uint64(n.caps.Blocks)), mostListed))
}

// listable reports whether the list of in can be one of so many bytes.
func (n *nic) listable(in *wire.Layout, bytes uint64) bool {
	return uint64(in.Pieces) <= uint64(n.listed(bytes))
}

// same reports whether the list of in, of so many bytes, equals that of this side: by its sum, or because the
// other side, which has seen the sum of this one, says so.
func (t *transfer) same(in *wire.Layout, bytes uint64) bool {
	l := t.move.Mine.List
	return l != nil && in.Pieces == uint32(l.Pieces()) && bytes == uint64(l.Bytes()) &&
		(in.Sum == t.list.sum || in.List == 0)
}

// learn takes the other side's layout of a message of so many bytes. The layout on this side is known
// already.
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

// listRead takes the other side's list, if ev says that it has been read. An impossible list turns ev into a
// refusal.
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

// exposedList exposes the message of t after its list, and reports whether it does; it does not if the list
// could not be exposed.
func (e *Engine) exposedList(t *transfer, ev *ir.Event) bool {
	if t.list.exposing = false; ev.Kind != ir.Exposed || ev.Segment == 0 {
		return false
	}
	t.list.segment = ev.Segment
	e.exposeMemory(t, t.memory(0, t.n))
	return true
}
