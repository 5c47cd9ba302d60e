package llc

import (
	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// The sender's side of a split transfer; the picture is in split.go.

// shareBack starts the sender's side.
func (e *Engine) shareBack(t *transfer, ev *ir.Event) error {
	b, layout, err := t.p.nic.readTerms(ev)
	switch {
	case err != nil:
		return protocolError(ev, "%v", err)
	case t.segment == 0:
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	case b.Want() > t.size || uint64(b.Index()) >= uint64(t.p.nic.caps.Words):
		return protocolError(ev, "%d of %d bytes, word %d of %d", b.Want(), t.size, b.Index(), t.p.nic.caps.Words)
	case layout.Pieces != 0 && !t.p.nic.listable(&layout, b.Want()) || layout.Pieces != 0 && layout.List == 0 && !t.same(&layout, b.Want()):
		return protocolError(ev, "list %d of %d pieces of %d bytes", layout.List, layout.Pieces, b.Want())
	}
	t.n = int(b.Want())
	t.take(&b)
	t.timed = ev.Header.Flags&wire.Timed != 0
	t.learn(&layout, b.Want())
	e.become(t, sendSharing)
	e.claimBack(t)
	return nil
}

// claimBack claims the next chunk for the sender, if there is one.
//
// A sender that has something to pull itself begins when it has pulled that, be it more or less: until then its help
// does not let either side end sooner, and a side that pulls has the bytes in its own cache. Where the lengths of an
// exchange differ, as in a sort, the side that receives less would push as much as it pulls.
func (e *Engine) claimBack(t *transfer) {
	s := &t.split
	switch {
	case s.claim.Full(s.total) || t.aside && s.claim.Front() > 0:
		e.report(t)
	case s.claim.Back() == 0 && e.pulling > 0:
		t.deferred = true
		e.deferred = append(e.deferred, t)
	default:
		e.swap(t, t.p.number, uint64(s.claim), uint64(s.claim.TakeBack()))
	}
}

// resume has senders begin that have deferred their first claim.
func (e *Engine) resume() {
	list := e.deferred
	e.deferred = list[:0]
	for _, t := range list {
		if t.deferred && t.p.end == nil {
			t.deferred = false
			e.claimBack(t)
		}
	}
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
		err := strangeWord(t, was)
		e.report(t)
		return err
	}
	s.claim = was
	e.claimBack(t)
	return nil
}

// report ends the sender's part.
func (e *Engine) report(t *transfer) {
	e.become(t, sendWaiting)
	e.part(t)
}

// part tells the receiver how much has moved. If the sender claimed nothing the receiver knows.
func (e *Engine) part(t *transfer) {
	if s := &t.split; s.claim.Back() != 0 {
		h := header(wire.Part, wire.Pair(s.with, s.moved))
		if t.timed {
			h.Tag = t.pace(t.off)
		}
		e.control(t.p, h, nil)
	}
}

// leave ends the sender's part early, because the receiver has said where the message goes. The receiver may
// wait for the chunks that were claimed: they are reported once none of them is under way.
func (e *Engine) leave(t *transfer) {
	e.unqueue(t)
	t.leaving = true
	e.left(t)
}

func (e *Engine) left(t *transfer) {
	if t.leaving && t.owed&(forCopy|forSwap) == 0 {
		t.leaving = false
		e.part(t)
	}
}

// leaveOn takes an answer to a sender that leaves.
func (e *Engine) leaveOn(t *transfer, ev *ir.Event) error {
	switch s := &t.split; {
	case ev.Kind == ir.Pushed && t.piece.at == t.piece.hi:
		t.off += t.piece.hi - t.piece.lo
		s.moved++
	case ev.Kind == ir.Swapped && ev.Old == s.old:
		s.claim = wire.Claim(s.new)
	}
	e.left(t)
	if t.state == sendClosing {
		e.closing(t)
	}
	return nil
}

// unsettled reports whether the receiver may end the message although the sender has not reported: the sender
// has claimed no chunk, or only chunks of an invitation that may have been taken back.
func (t *transfer) unsettled() bool { return t.split.claim.Back() == 0 || t.early || t.elsewhere }
