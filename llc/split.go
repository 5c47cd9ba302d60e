package llc

import (
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Split: both sides move a part of a large message, each with its own copy engine: the receiver pulls chunks
// from the front, the sender pushes chunks from the back, until they meet. A compare-and-swap on a claim word
// in the receiver's control area decides which side moves a chunk, so neither waits for a side that is away:
// the other one moves everything.
//
// The receiver (front) and the sender (back):
//
//	       Expose own buffer, open the word with chunk 0 claimed
//	Idle --------> Sharing --both answers in--> CTSSplit packet, pull chunk 0
//	                  |      --Pulled--> claim --Swapped--> pull ...
//	                  | all claimed
//	                  |-- sender has none, or has reported --> Closing (FIN packet)
//	                  \-- sender has some --> Awaiting --Part--> Closing
//	   Part with fewer chunks than claimed: the others are pulled (Pulling)
//	   own pull refused: claim the rest, move none; then stream, or give up
//
//	Offered --CTSSplit--> Sharing --claim--> push --Pushed--> claim ...
//	                         \-- all claimed --> Waiting      (Part packet if it moved any)
//
// One chunk is under way per side, so that small packets pass between chunks.

// split is the state of a split transfer on either side.
type split struct {
	held     bool       // receiver: word is ours
	opened   bool       // receiver: the word has its first value
	begun    bool       // receiver: the first chunk has been started
	invited  bool       // receiver: the CTSSplit packet is out
	revoking bool       // receiver: the invitation is being taken back
	stop     bool       // receiver: claim, but do not move
	part     bool       // receiver: the sender has reported
	word     uint32     // number of the claim word
	total    uint32     // chunks
	moved    uint32     // chunks that the sender moved
	stored   uint32     // noncontiguous receive: chunks that the sender moved and that have been scattered
	taken    uint32     // receiver: chunks claimed by the sender from an invitation that was taken back
	with     uint32     // sender: the receiver's transfer
	pace     int32      // receiver: nanoseconds that a KiB took the sender; 0: not known
	claim    wire.Claim // latest known value
	old      uint64     // of the swap under way
	new      uint64
}

// share starts the receiver's side, or pulls alone if no word is free.
func (e *Engine) share(t *transfer) {
	n := t.p.nic
	if e.alone(t) || e.spares(t) {
		e.pullAll(t)
		return
	}
	t.unit = unitFor(t.n, t.most(n.caps.SplitUnit))
	if !n.words.take(&t.split) {
		e.pull(t, 0, t.n)
		return
	}
	s := &t.split
	s.total = chunks(t.n, t.unit)
	e.become(t, recvSharing)
	e.openWord(t, 1)
	e.expose(t)
}

// alone reports whether the receiver moves everything by itself. It does so for a message that is read at
// once and fits the caches, since what the sender stores lies in the sender's cache. It also does so for a
// message of one Pull, if the sender has as much to pull from here, or if peers share processors and nothing
// else is to be received: then each processor has work without the sender's help.
func (e *Engine) alone(t *transfer) bool {
	return t.r.alone(t.n) || t.n <= t.p.nic.caps.SplitUnit &&
		(t.p.offered >= uint64(t.n) || e.oversubscribed && e.table.Posted()+e.table.Messages() == 0)
}

// openWord gives the word its first value: a new use, of which the receiver has claimed front chunks.
func (e *Engine) openWord(t *transfer, front uint32) {
	was := t.split.claim
	e.swap(t, int32(e.self), uint64(was), uint64(wire.NewClaim(was.Generation()+1, front)))
}

// begin invites the sender and then pulls the first chunk, once the word and
// the segment are there. In this order, because a NIC may work for as long as
// a chunk takes before it sends the next packet.
func (e *Engine) begin(t *transfer) {
	if s := &t.split; s.opened && !s.begun && t.owed&forExpose == 0 {
		s.begun = true
		e.invite(t)
		if s.claim.Front() == 0 {
			_ = e.claimFront(t) // not caused by the other side, so there is no protocol error
			return
		}
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

// most returns the largest chunk in bytes: for a noncontiguous receive, what stays in the cache until it is
// scattered.
func (t *transfer) most(unit int) int {
	if t.copy != nil {
		return min(unit, pieceBytes)
	}
	return unit
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
	c.Token = e.owe(t, forSwap)
}

// invite sends the CTSSplit packet, if there is a segment and anything left to
// claim, and the sender has not claimed yet (early.go).
func (e *Engine) invite(t *transfer) {
	s := &t.split
	if t.segment == 0 || s.claim.Full(s.total) || s.claim.Back() != 0 {
		return
	}
	s.invited = true
	h := header(wire.CTSSplit, uint64(t.remote))
	if t.timed {
		h.Flags = wire.Timed
	}
	e.control(t.p, h, e.terms(t, uint64(t.remote)))
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
	t.store()
	t.off += t.piece.hi - t.piece.lo
	return e.claimFront(t)
}

// stopPulling goes on after a chunk that the NIC has refused to move: the receiver
// claims what is left, so that the sender ends, and moves none of it.
func (e *Engine) stopPulling(t *transfer, ev *ir.Event) error {
	t.err, t.split.stop = ev.Err, true
	return e.claimFront(t)
}

// frontUnswapped goes on without a claim word, if the sender cannot have claimed.
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
	case s.revoking: // a message has matched meanwhile
		if err := e.reread(t, ev); err != nil {
			e.finish(t, err)
			return err
		}
		e.begin(t)
		return nil
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
		err := strangeWord(t, was)
		e.finish(t, err)
		return err
	}
	s.claim = was
	return e.claimFront(t)
}

// strangeWord reports a claim word that the other side has set to what it must not.
func strangeWord(t *transfer, was wire.Claim) error {
	return &ProtocolError{Peer: int(t.p.number), Event: "claim",
		What: fmt.Sprintf("word of transfer %#x went from %v to %v of %d", t.id, t.split.claim, was, t.split.total), Lost: true}
}

// claimed is reached when the receiver has moved its part and nothing is left.
func (e *Engine) claimed(t *transfer) error {
	if s := &t.split; s.claim.Back() > 0 && !s.part {
		e.become(t, recvAwaiting)
		t.storePushed(s.claim.Back() - 1) // a sender that claims a chunk has pushed those before
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
	t.storePushed(s.moved)
	switch missing := s.claim.Back() - s.moved; {
	case s.stop:
		e.pullFailed(t, t.err)
	case missing > 0:
		lo := int(s.total-s.claim.Back()) * t.unit
		e.pull(t, lo, min(lo+int(missing)*t.unit, t.n))
	default:
		t.compare()
		e.finish(t, nil)
	}
	return err
}

// keepPart keeps the sender's report until the receiver has moved its own part.
func (e *Engine) keepPart(t *transfer, ev *ir.Event) error {
	s := &t.split
	_, moved := wire.Halves(ev.Header.Word)
	if !s.invited || s.part {
		return protocolError(ev, "transfer %#x is %v", t.id, t.state)
	}
	if moved > s.total-s.claim.Front() {
		return protocolError(ev, "%d chunks moved, of %d; %v claimed", moved, s.total, s.claim)
	}
	if ev.Header.Tag < 0 {
		return protocolError(ev, "%d ns for each KiB", ev.Header.Tag)
	}
	s.part, s.moved = true, moved
	s.pace = ev.Header.Tag
	return nil
}

// takePart takes the sender's report, the last thing that was missing.
func (e *Engine) takePart(t *transfer, ev *ir.Event) error {
	if err := e.keepPart(t, ev); err != nil {
		return err
	}
	return e.settled(t)
}
