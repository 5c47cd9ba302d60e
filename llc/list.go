package llc

import (
	"fmt"
	"slices"

	"rhinet/internal/strided"
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Blocks that are not at equal distances are told of by a list, which is too long for a packet: it is exposed as the message is, for as
// long, and the other side pulls it in the place of the first piece that it moves, and then that piece. So the machines of a transfer
// know nothing of it. Who moves nothing, because the other side is quicker, reads no list.

// A listing is the lists of a transfer.
type listing struct {
	mine, their strided.List // memory, kept for the next transfer
	segment     ir.Segment   // of mine, where the other side reads it
	exposing    bool         // which is about to be exposed
	theirs      ir.Segment   // where the other side's is that has not been read
	bytes       uint64       // that it is of
}

// lists reports whether a list of pieces that are worth it on the whole tells how the message of t lies on this side, and makes it.
func (n *nic) lists(t *transfer) bool {
	mem, l := t.r.Body.List(t.list.mine[:0], t.n, n.listable(uint64(t.n)))
	if mem == nil {
		return false
	}
	t.list.mine = l
	t.spread, t.move.Mine = mem, strided.Blocks{List: l}
	return true
}

// listable is the most pieces of a list that tells of so many bytes.
func (n *nic) listable(bytes uint64) int { return int(min(bytes/uint64(n.caps.Blocks), mostListed)) }

// tells reports whether there can be the list, if any, of l for so many bytes.
func (n *nic) tells(l *wire.Layout, bytes uint64) bool {
	return l.List == 0 || uint64(l.Pieces) <= uint64(n.listable(bytes))
}

// learn takes what the other side says of how a message of size bytes lies there.
func (t *transfer) learn(in *wire.Layout, size uint64) {
	t.move.Their = in.Blocks
	if l := &t.list; in.List != 0 {
		n := int(in.Pieces) * strided.PieceBytes
		l.their, l.theirs, l.bytes = slices.Grow(l.their[:0], n)[:n], ir.Segment(in.List), size
	}
}

// readList makes cmd the one that reads the other side's list.
func (e *Engine) readList(t *transfer, cmd *ir.Command) {
	cmd.Op, cmd.Segment, cmd.Offset = ir.Pull, t.list.theirs, 0
	cmd.Data, cmd.Move = t.list.their, nil
	cmd.Token = e.owe(t, forPort)
}

// listed takes the other side's list, which has been read if ev says so. One that cannot be makes it a refusal.
func (t *transfer) listed(ev *ir.Event) error {
	if ev.Kind == ir.Failed {
		return nil
	}
	l := &t.list
	if l.theirs = 0; l.their.Holds(int(l.bytes)) {
		t.move.Their.List = l.their
		return nil
	}
	err := &ProtocolError{Peer: int(t.p.number), Event: "list",
		What: fmt.Sprintf("%d pieces of transfer %#x tell of %d bytes, not %d", l.their.Pieces(), t.id, l.their.Bytes(), l.bytes), Lost: true}
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
