package llc

import (
	"math"
	"time"

	"rhinet/llc/wire"
)

// Halves: whether it pays that both sides move a part of a message (split.go) depends on what their programs do
// with the buffers. Where nobody touches them, as in most benchmarks, it takes half of the time. A receiver that
// has read the message before it in the same buffer holds its lines, and the sender's copy waits for each: where the
// processors share no cache it moves 2 bytes a nanosecond, and the receiver 10, because that only waits for what the
// sender has written; where they do, 8 and 18. Then the receiver has its half early, waits for the other one, and
// would have ended sooner alone.
//
// So the receiver of a message that each side could move at once has both halves timed now and then, and counts
// it as slow if the sender's took more than twice as long as its own. After some such messages in a row it moves
// a number of messages alone, and then tries again. A receive that is posted early still invites its sender, which
// moves what it can before the receiver takes part: its help is slow, but nobody waits for it.

const (
	// One message in halfLooks is timed, more of the first ones, which find memory that nobody has used yet, and each
	// while they are slow.
	halfLooks = 32
	// halfEnough slow ones in a row begin a spell.
	halfEnough = 4
	// halfShare is how many times as long as the receiver's part the sender's may take: as long as two parts by the
	// receiver.
	halfShare = 2
)

// halves is what the receiver of a peer's messages knows.
type halves struct {
	spell     // messages that the receiver moves alone
	next  int // messages before the next that is timed
	apart int // how many there were before the last one
	slow  int // timed messages in a row that were slow
}

// look counts a message that both sides move, and reports whether it is timed.
func (h *halves) look() bool {
	h.try()
	h.next--
	return h.next < 0
}

// judge takes the times of a KiB, of the sender and the receiver.
func (h *halves) judge(theirs, own time.Duration) {
	if theirs <= halfShare*own {
		h.apart = min(2*h.apart+1, halfLooks-1)
		h.slow, h.next = 0, h.apart
		return
	}
	h.apart = 0
	if h.slow++; h.slow >= halfEnough {
		h.slow = 0
		h.begin()
	}
}

// halved reports whether t moves in halves that can be compared. Where peers share processors, their copies wait
// for each other in any case, and it shows in the times.
func (e *Engine) halved(t *transfer) bool {
	return t.n <= 2*t.p.nic.caps.SplitUnit && t.copy == nil && !e.oversubscribed
}

// spares reports whether the receiver moves a message alone because halves are slow. If not, it may be timed.
func (e *Engine) spares(t *transfer) bool {
	h := &t.p.halves
	switch {
	case !e.halved(t):
		return false
	case h.over():
		t.timed = h.look()
		return false
	}
	h.pass()
	return true
}

// helping returns the flags of an invitation, which say how the sender is to help.
func (e *Engine) helping(t *transfer) uint8 {
	switch h := &t.p.halves; {
	case !e.halved(t):
		return 0
	case !h.over():
		h.pass()
		return wire.Aside
	case h.look():
		t.timed = true
		return wire.Timed
	default:
		return 0
	}
}

// pace returns the time of a KiB, in nanoseconds as a packet carries it, of n bytes that this side has moved.
func (t *transfer) pace(n int) int32 {
	if n == 0 {
		return 0
	}
	return int32(min(t.took<<10/time.Duration(n), math.MaxInt32))
}

// compare judges a message of which both sides have moved a part.
func (t *transfer) compare() {
	theirs, own := t.split.pace, t.pace(t.off)
	if t.timed && theirs > 0 && own > 0 {
		t.p.halves.judge(time.Duration(theirs), time.Duration(own))
	}
}
