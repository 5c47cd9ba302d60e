package network

import "rhinet/nicemu/vtime"

// A carrier moves the flits of a packet over a wire that may flip bits.
type carrier interface {
	// carry sends n flits at the link's edges from slot on; the last flit cannot leave before last.
	// It returns when the receiver has taken the first and the last flit, the first slot after
	// them, and whether the packet is damaged.
	carry(slot int64, n int, last vtime.Time) (head, tail vtime.Time, free int64, damaged bool)
}

// LinkErrors counts bit errors on a wire and their handling.
type LinkErrors struct {
	Flits      uint64 // sent, including those sent again
	WrongFlits uint64 // with wrong bits
	Corrected  uint64 // of them, by ECC
	Rejected   uint64 // of them, by CRC
	Unseen     uint64 // neither corrected nor rejected: packets are damaged
	Resent     uint64 // flits sent again
	Timeouts   uint64 // of the sender, because a rejection was lost
	OutOfOrder uint64 // flits taken in the wrong order: a fault of the protocol
}

// clean is a wire without errors. It respects the time of the last flit, which has to arrive from
// the wire before.
type clean struct {
	clock vtime.Clock
	delay vtime.Time
	LinkErrors
}

func (c *clean) carry(slot int64, n int, last vtime.Time) (head, tail vtime.Time, free int64, damaged bool) {
	c.Flits += uint64(n)
	free = max(slot+int64(n), c.clock.Index(last)+1)
	return c.clock.Edge(slot+1) + c.delay, c.clock.Edge(free) + c.delay, free, false
}

// corrected is a wire with ECC on every flit (martini, section 1.4, RHiNET-2).
type corrected struct {
	clean
	*noise
	most int // number of wrong bits that can be corrected
}

func (c *corrected) carry(slot int64, n int, last vtime.Time) (head, tail vtime.Time, free int64, damaged bool) {
	for range n {
		wrong, _ := c.flit()
		switch {
		case wrong == 0:
			continue
		case wrong <= c.most:
			c.Corrected++
		default:
			c.Unseen++
			damaged = true
		}
		c.WrongFlits++
	}
	head, tail, free, _ = c.clean.carry(slot, n, last)
	return head, tail, free, damaged
}

// An arq is a wire with CRC, sequence number and retransmission for every flit (martini, section
// 1.4, RHiNET-3). The sender goes back to the flit that the receiver rejects; the receiver takes a
// flit only if it carries the next sequence number. Rejections travel in the other direction and
// can be lost to wrong bits like flits; then the sender's timeout expires. Every flit of the other
// direction carries an acknowledgement, so that a lost one only delays the sender.
//
// A packet that has begun to move never waits for its receiver, so its transfer does not depend on
// other events and is computed at once, flit by flit.
type arq struct {
	clean
	*noise
	mask    uint64 // of sequence numbers
	window  int64  // maximum number of unacknowledged flits
	reject  vtime.Time
	timeout vtime.Time
	base    int64        // number of the packet's first flit, since the start
	taken   []vtime.Time // when each flit was taken, by number modulo window
}

func newARQ(c clean, n *noise, s *settings) *arq {
	window := int64(1)<<s.sequenceBits - 1
	return &arq{clean: c, noise: n, mask: uint64(window), window: window, taken: make([]vtime.Time, window),
		reject: s.flit.Span(s.reject), timeout: 2*c.delay + s.flit.Span(s.timeout)}
}

// A transfer is the state of moving one packet.
type transfer struct {
	next     int64      // flit to send
	expected int64      // flit that the receiver expects
	first    int64      // of the packet
	sent     int64      // highest flit sent so far, plus one
	refused  bool       // the receiver has sent a rejection, and drops flits until it gets the expected one
	back     vtime.Time // when a rejection reaches the sender
	oldest   vtime.Time // when the expected flit was sent last
	damaged  bool
}

func (a *arq) carry(slot int64, n int, last vtime.Time) (head, tail vtime.Time, free int64, damaged bool) {
	t := transfer{next: a.base, expected: a.base, first: a.base, sent: a.base, back: vtime.Never}
	end, begin := a.base+int64(n), a.clock.Edge(slot)
	for t.expected < end {
		now := a.clock.Edge(slot)
		a.goBack(&t, now)
		if wait := a.mayNotSend(&t, now, end, begin, last); wait > now {
			slot = max(slot+1, a.clock.Index(wait))
			continue
		}
		at := a.clock.Edge(slot+1) + a.delay
		slot++
		if a.send(&t, now, at) {
			if t.expected == t.first+1 {
				head = at
			}
			tail = at
		}
	}
	a.base = end
	return head, tail, slot, t.damaged
}

// goBack returns to the flit that the receiver expects, when a rejection has arrived or the timeout
// has expired.
func (a *arq) goBack(t *transfer, now vtime.Time) {
	switch {
	case t.back <= now:
		t.next, t.back = t.expected, vtime.Never
	case t.next > t.expected && now >= t.oldest+a.timeout:
		t.next, t.oldest = t.expected, now
		a.Timeouts++
	}
}

// mayNotSend returns until when the sender waits: for the flit to arrive from the wire before, for
// the window, or for an acknowledgement or rejection.
func (a *arq) mayNotSend(t *transfer, now vtime.Time, end int64, begin, last vtime.Time) vtime.Time {
	news := min(t.back, t.oldest+a.timeout)
	if t.next == end {
		return news
	}
	if f := t.next - a.window; f >= 0 {
		if f >= t.expected {
			return news
		}
		if acked := a.taken[f%a.window] + a.delay; acked > now {
			return min(acked, t.back)
		}
	}
	span := a.clock.Span(end - 1 - t.first)
	if late := last - begin - span; late > 0 { // flits arrive with gaps
		return begin + (span+late)*vtime.Time(t.next-t.first)/vtime.Time(max(end-1-t.first, 1))
	}
	return now
}

// send sends a flit, and reports whether the receiver took it at time at.
func (a *arq) send(t *transfer, now, at vtime.Time) bool {
	f := t.next
	t.next++
	a.Flits++
	if f < t.sent {
		a.Resent++
	}
	t.sent = max(t.sent, f+1)
	if f == t.expected {
		t.oldest = now
	}
	wrong, seen := a.flit()
	if wrong > 0 {
		a.WrongFlits++
	}
	if seen {
		a.Rejected++
		if !t.refused {
			t.refused = true
			a.rejection(t, at)
		}
		return false
	}
	if wrong > 0 {
		a.Unseen++
	}
	if uint64(f)&a.mask != uint64(t.expected)&a.mask {
		return false
	}
	if f != t.expected {
		a.OutOfOrder++
	}
	t.damaged = t.damaged || wrong > 0
	a.taken[f%a.window] = at
	t.expected++
	t.refused = false
	return true
}

// rejection sends the receiver's rejection back, unless it is lost.
func (a *arq) rejection(t *transfer, at vtime.Time) {
	if wrong, _ := a.flit(); wrong == 0 {
		t.back = at + a.reject + a.delay
	}
}
