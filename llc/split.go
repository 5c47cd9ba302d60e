package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Split: both sides move a part of a large message, each with its own copy
// engine: the receiver pulls chunks from the front, the sender pushes chunks
// from the back, until they meet. Who moves a chunk is settled by a
// compare-and-swap on a claim word in the receiver's control area, so nobody
// waits for a side that is away: the other one moves everything.
//
// The receiver (front) and the sender (back):
//
//	       Expose own buffer, open the word with chunk 0 claimed
//	Idle --------> Sharing --both answers in--> Split packet, pull chunk 0
//	                  |      --Pulled--> claim --Swapped--> pull ...
//	                  | all claimed
//	                  |-- sender has none, or has reported --> Closing (Finish packet)
//	                  \-- sender has some --> Awaiting --Part--> Closing
//	   Part with fewer chunks than claimed: the others are pulled (Pulling)
//	   own pull refused: claim the rest, move none; then stream, or give up
//
//	Offered --Split--> Sharing --claim--> push --Pushed--> claim ...
//	                      \-- all claimed --> Waiting      (Part packet if it moved any)
//
// One chunk is under way per side, so that small packets pass between chunks.

// split is the state of a split transfer on either side.
type split struct {
	held    bool       // receiver: word is ours
	opened  bool       // receiver: the word has its first value
	begun   bool       // receiver: the first chunk has been started
	invited bool       // receiver: the Split packet is out
	stop    bool       // receiver: claim, but do not move
	part    bool       // receiver: the sender has reported
	word    uint32     // number of the claim word
	total   uint32     // chunks
	moved   uint32     // chunks that the sender moved
	claim   wire.Claim // latest known value
	old     uint64     // of the swap under way
	new     uint64
}

// share starts the receiver's side, or pulls alone if no word is free.
func (e *Engine) share(t *transfer) {
	t.unit = unitFor(t.n, e.caps.SplitUnit)
	if !e.words.take(&t.split) {
		e.pull(t, 0, t.n)
		return
	}
	s := &t.split
	s.total = uint32((t.n + t.unit - 1) / t.unit)
	e.become(t, recvSharing)
	e.swap(t, int32(e.self), uint64(s.claim), uint64(wire.NewClaim(s.claim.Generation()+1, 1)))
	e.expose(t)
}

// begin invites the sender and then pulls the first chunk, once the word and
// the segment are there. In this order, because a NIC may work for as long as
// a chunk takes before it sends the next packet.
func (e *Engine) begin(t *transfer) {
	if s := &t.split; s.opened && !s.begun && t.owed&forExpose == 0 {
		s.begun = true
		e.invite(t)
		e.chunk(t, ir.Pull, 0)
	}
}

// unitFor returns the bytes of one chunk of n: at most unit, unless that gives
// too many chunks; an even number of chunks, so that two sides of equal speed
// end together; whole pages if possible.
func unitFor(n, unit int) int {
	unit = max(unit, (n+mostChunks-1)/mostChunks)
	pairs := (n + 2*unit - 1) / (2 * unit)
	share := (n + 2*pairs - 1) / (2 * pairs)
	return min(unit, (share+pageBytes-1)/pageBytes*pageBytes)
}

// chunk moves chunk number i.
func (e *Engine) chunk(t *transfer, op ir.Op, i uint32) {
	lo := int(i) * t.unit
	e.copy(t, op, lo, min(lo+t.unit, t.n))
}

func (e *Engine) swap(t *transfer, peer int32, old, new uint64) {
	s := &t.split
	s.old, s.new = old, new
	c := e.emit()
	c.Op = ir.Swap
	c.Peer = peer
	c.Offset = uint64(s.word)
	c.Old, c.New = old, new
	c.Token = t.owe(forSwap)
}

// invite sends the Split packet, if there is a segment and anything left to
// claim.
func (e *Engine) invite(t *transfer) {
	s := &t.split
	if t.segment == 0 || s.claim.Full(s.total) {
		return
	}
	s.invited = true
	b := e.scratch[:wire.SplitBytes]
	(*wire.SplitBody)(b).Encode(uint64(t.remote), uint64(t.segment), uint64(t.n), s.claim, t.id, s.word, uint32(t.unit))
	e.control(t.p, header(wire.Split, uint64(t.remote)), b)
}

// claimFront claims the next chunk for the receiver; all that is left if it
// has stopped.
func (e *Engine) claimFront(t *transfer) error {
	s := &t.split
	if s.claim.Full(s.total) {
		return e.claimed(t)
	}
	n := uint32(1)
	if s.stop {
		n = s.total - s.claim.Front() - s.claim.Back()
	}
	e.swap(t, int32(e.self), uint64(s.claim), uint64(s.claim.TakeFront(n)))
	return nil
}

// sharable goes on when the receiver's own memory has its segment, or none.
func (e *Engine) sharable(t *transfer, ev *ir.Event) error {
	_ = e.keepSegment(t, ev)
	e.begin(t)
	return nil
}

// pulledFront goes on after a chunk.
func (e *Engine) pulledFront(t *transfer, _ *ir.Event) error {
	t.off += t.piece.hi - t.piece.lo
	return e.claimFront(t)
}

// stopPulling goes on after a chunk that the NIC has refused to move: the receiver
// claims what is left, so that the sender ends, and moves none of it.
func (e *Engine) stopPulling(t *transfer, ev *ir.Event) error {
	t.err, t.split.stop = ev.Err, true
	return e.claimFront(t)
}

// frontUnswapped goes on without a claim word, if nobody else has claimed.
func (e *Engine) frontUnswapped(t *transfer, ev *ir.Event) error {
	s := &t.split
	switch {
	case s.invited:
		e.finish(t, &PeerError{int(t.p.number), refused(ev.Err)})
	case s.stop:
		e.pullFailed(t, t.err)
	case s.begun:
		e.pull(t, min(t.n, t.unit*int(s.claim.Front())), t.n)
	default:
		e.pull(t, 0, t.n)
	}
	return nil
}

// frontSwapped takes the answer to the receiver's claim.
func (e *Engine) frontSwapped(t *transfer, ev *ir.Event) error {
	s, was := &t.split, wire.Claim(ev.Old)
	switch {
	case !s.opened && ev.Old != s.old: // the word's last user left another value
		e.swap(t, int32(e.self), ev.Old, s.new)
		return nil
	case !s.opened:
		s.opened, s.claim = true, wire.Claim(s.new)
		e.begin(t)
		return nil
	case ev.Old == s.old:
		first := s.claim.Front()
		s.claim = wire.Claim(s.new)
		if s.stop {
			return e.claimFront(t)
		}
		e.chunk(t, ir.Pull, first)
		return nil
	case was.Generation() != s.claim.Generation() || was.Front() != s.claim.Front() ||
		was.Back() < s.claim.Back() || !was.Fits(s.total) || !s.invited:
		err := &ProtocolError{Peer: int(t.p.number), Event: "claim",
			What: fmt.Sprintf("word of transfer %#x went from %v to %v of %d", t.id, s.claim, was, s.total), Lost: true}
		e.finish(t, err)
		return err
	}
	s.claim = was
	return e.claimFront(t)
}

// claimed is reached when the receiver has moved its part and nothing is left.
func (e *Engine) claimed(t *transfer) error {
	if s := &t.split; s.claim.Back() > 0 && !s.part {
		e.become(t, recvAwaiting)
		return nil
	}
	return e.settled(t)
}

// settled is reached when the sender has reported as well.
func (e *Engine) settled(t *transfer) (err error) {
	s := &t.split
	if s.moved > s.claim.Back() {
		err = &ProtocolError{Peer: int(t.p.number), Event: "part packet",
			What: fmt.Sprintf("%d chunks moved, %d claimed", s.moved, s.claim.Back()), Lost: true}
		s.moved = 0
	}
	switch missing := s.claim.Back() - s.moved; {
	case s.stop:
		e.pullFailed(t, t.err)
	case missing > 0:
		lo := int(s.total-s.claim.Back()) * t.unit
		e.pull(t, lo, min(lo+int(missing)*t.unit, t.n))
	default:
		e.finish(t, nil)
	}
	return err
}

// keepPart keeps the sender's report until the receiver has moved its own part.
func (e *Engine) keepPart(t *transfer, ev *ir.Event) error {
	s := &t.split
	_, moved := wire.Halves(ev.Header.Word)
	if !s.invited || s.part {
		return lie(ev, "transfer %#x is %v", t.id, t.state)
	}
	if moved >= s.total {
		return lie(ev, "%d chunks moved, of %d; %v claimed", moved, s.total, s.claim)
	}
	s.part, s.moved = true, moved
	return nil
}

// takePart takes the sender's report, the last thing that was missing.
func (e *Engine) takePart(t *transfer, ev *ir.Event) error {
	if _, moved := wire.Halves(ev.Header.Word); moved > t.split.claim.Back() {
		return lie(ev, "%d chunks moved, of %d; %v claimed", moved, t.split.total, t.split.claim)
	}
	if err := e.keepPart(t, ev); err != nil {
		return err
	}
	return e.settled(t)
}
