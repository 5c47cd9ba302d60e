package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The sender's side of a split transfer; the picture is in split.go.

// shareBack starts the sender's side.
func (e *Engine) shareBack(t *transfer, ev *ir.Event) error {
	b, err := wire.ParseSplit(ev.Header.Word, ev.Data)
	switch {
	case err != nil:
		return lie(ev, "%v", err)
	case t.segment == 0:
		return lie(ev, "transfer %#x is %v", t.id, t.state)
	case b.Want() > t.size || uint64(b.Index()) >= uint64(e.caps.Words):
		return lie(ev, "%d of %d bytes, word %d of %d", b.Want(), t.size, b.Index(), e.caps.Words)
	}
	t.n, t.unit, t.remote, t.theirs = int(b.Want()), int(b.Unit()), b.ID(), ir.Segment(b.Segment())
	t.split = split{word: b.Index(), total: b.Chunks(), claim: b.Claim()}
	e.become(t, sendSharing)
	e.claimBack(t)
	return nil
}

// claimBack claims the next chunk for the sender.
func (e *Engine) claimBack(t *transfer) {
	s := &t.split
	if s.claim.Full(s.total) {
		e.report(t)
		return
	}
	e.swap(t, t.p.number, uint64(s.claim), uint64(s.claim.TakeBack()))
}

// pushed goes on after a chunk.
func (e *Engine) pushed(t *transfer, _ *ir.Event) error {
	t.off += t.piece.hi - t.piece.lo
	t.split.moved++
	e.claimBack(t)
	return nil
}

// stopPushing goes on after a chunk or a claim that the NIC has refused: the receiver
// moves what was claimed and has not moved, and the rest.
func (e *Engine) stopPushing(t *transfer, _ *ir.Event) error {
	e.report(t)
	return nil
}

// backSwapped takes the answer to the sender's claim.
func (e *Engine) backSwapped(t *transfer, ev *ir.Event) error {
	s, was := &t.split, wire.Claim(ev.Old)
	switch {
	case ev.Old == s.old:
		s.claim = wire.Claim(s.new)
		e.chunk(t, ir.Push, s.total-s.claim.Back())
		return nil
	case was.Generation() != s.claim.Generation():
		e.report(t) // the receiver has moved all, or given up: the word is in its next use
		return nil
	case was.Back() != s.claim.Back() ||
		was.Front() < s.claim.Front() || !was.Fits(s.total):
		err := &ProtocolError{Peer: int(t.p.number), Event: "claim",
			What: fmt.Sprintf("word of transfer %#x went from %v to %v of %d", t.id, s.claim, was, s.total), Lost: true}
		e.report(t)
		return err
	}
	s.claim = was
	e.claimBack(t)
	return nil
}

// report ends the sender's part. If it claimed nothing the receiver knows.
func (e *Engine) report(t *transfer) {
	s := &t.split
	e.become(t, sendWaiting)
	if s.claim.Back() == 0 {
		return
	}
	e.control(t.p, header(wire.Part, wire.Pair(t.remote, s.moved)), nil)
}
