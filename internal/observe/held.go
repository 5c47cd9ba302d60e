package observe

import "sync"

// The calls of most messages are counted by the port that makes them, while it is locked: so
// counting needs no lock and no time stamp of its own. The methods of this file are for the
// holder of the lock that Guard has named.

// Of the calls that a port counts one of heldSkip+1 to heldSkip+heldSpan is timed, at random, after the
// first ones: timing one costs about as much as making it. A call that completes many requests is
// timed each pickSpan-th time.
const (
	heldSkip = 47
	heldSpan = 32 // a power of two
	pickSpan = 8  // also one
)

// held is what the port's calls need.
type held struct {
	first  int    // calls that are timed before most are not
	next   uint64 // so many calls of the port must there be before another is timed
	due    uint64 // next, or 0 if there is more to settle
	asleep int64  // how long the call that is made has slept
	span   Span   // when its wait began and ended, if anybody has looked: To is 0 if not
}

// A Span is from when to when something lasted.
type Span struct{ From, To int64 }

// A Message is one that a call has sent or received.
type Message struct {
	Context   uint16
	Peer, Tag int
	Bytes     int
}

// Guard has lock guard what r writes, in the place of its own. It is called before anything is counted.
func (r *Rank) Guard(lock sync.Locker) { r.guard = lock }

// Sent counts a call that has sent a message, after so many calls of the port. It reports whether
// Settle is due.
func (r *Rank) Sent(call Row, calls uint64, m Message) (due bool) {
	r.called(call, m.Bytes)
	id := r.commOf[m.Context>>1]
	if r.commTo != nil {
		id = r.CommTo(m.Peer, m.Context)
	}
	c := r.commAt[id]
	add(c[commSent:][:wordBytes], 1)
	add(c[commSentBytes:][:wordBytes], uint64(m.Bytes))
	if uint(m.Peer) < uint(r.plan.ranks) {
		b := (*pairWords)(r.peers[m.Peer*peerBytes:])
		add(b[:wordBytes], 1)
		add(b[wordBytes:], uint64(m.Bytes))
	}
	if r.plan.events > 0 {
		r.record(call, Sends, m)
	}
	return calls >= r.held.due
}

// Received counts a call that has received a message, as Sent does.
func (r *Rank) Received(call Row, calls uint64, m Message) (due bool) {
	r.called(call, m.Bytes)
	c := r.commAt[r.commOf[m.Context>>1]]
	add(c[commReceived:][:wordBytes], 1)
	add(c[commReceivedBytes:][:wordBytes], uint64(m.Bytes))
	if r.plan.events > 0 {
		r.record(call, Receives, m)
	}
	return calls >= r.held.due
}

// Called counts a call that has neither sent nor received, by itself, as Sent does.
func (r *Rank) Called(call Row, calls uint64, m Message) (due bool) {
	r.called(call, m.Bytes)
	if r.plan.events > 0 {
		r.record(call, 0, m)
	}
	return calls >= r.held.due
}

// Arrived counts a message that a part of another call has received, at a time of Now.
func (r *Rank) Arrived(m Message, at int64) {
	c := r.commAt[r.commOf[m.Context>>1]]
	add(c[commReceived:][:wordBytes], 1)
	add(c[commReceivedBytes:][:wordBytes], uint64(m.Bytes))
	if r.plan.events > 0 {
		r.write(at, at, eventOf(Irecv, Receives|point, m.Context, m.Peer), m.Tag, m.Bytes)
	}
}

func (r *Rank) called(call Row, bytes int) {
	row := r.row[call]
	add(row[rowCount:][:wordBytes], 1)
	add(row[rowBytesMoved:][:wordBytes], uint64(bytes))
}

// record writes the event of a call. One of which nobody has measured when it began is as long as such a call
// takes in the mean: the reader finds that out.
func (r *Rank) record(call Row, flags Flags, m Message) {
	s := &r.held.span
	from, to := s.From, s.To
	switch {
	case to == 0:
		to = r.Meter.now()
		from, flags = to, flags|begun
	case flags&Sends != 0: // which had gone before the wait
		flags |= begun
	}
	s.To = 0
	r.write(from, to, eventOf(call, flags, m.Context, m.Peer), m.Tag, m.Bytes)
}

// Waited notes the wait of the call that is made: how long it slept, and from when to when it was, if that was
// measured.
func (r *Rank) Waited(s Span, asleep int64) {
	h := &r.held
	if h.span = s; asleep > 0 {
		h.asleep += asleep
		h.due = 0
	}
}

// Settle ends the counting of a call, and reports whether the next one is to be timed.
func (r *Rank) Settle(call Row, calls uint64, id CommID) bool {
	h := &r.held
	if h.asleep != 0 {
		add(r.row[call][rowSleep:][:wordBytes], uint64(h.asleep))
		r.waited(id, h.asleep)
	}
	r.Forget()
	return calls >= h.next
}

// Forget drops what is known of the wait of a call that somebody else counts.
func (r *Rank) Forget() {
	h := &r.held
	h.asleep, h.span, h.due = 0, Span{}, h.next
}

// Sample begins to time a call that is made next.
func (r *Rank) Sample() Mark { return r.begin() }

// Sampled ends the call that Sample began, if it was made, and chooses the next after so many calls of the port;
// it reports whether that is the one that comes.
func (r *Rank) Sampled(m Mark, call Row, calls uint64, made bool) bool {
	now := r.Meter.now()
	r.Meter.sampling.Add(-1)
	h := &r.held
	h.next = calls + heldSkip + uint64(r.chance(heldSpan))
	if made && !r.closed {
		r.timed(r.row[call], m, now, r.Meter.asleep.Load()-m.asleep)
		if h.first--; h.first > 0 {
			h.next = 0
		}
	}
	h.due = h.next
	return calls >= h.next
}

// Pick begins a call that is timed if chance wants it, or if its job is traced.
func (r *Rank) Pick() Mark {
	if r.held.first > 0 || r.every || r.chance(pickSpan) == 0 {
		return r.begin()
	}
	return Mark{at: untimed}
}

// Picked ends the call that Pick began, before it is counted.
func (r *Rank) Picked(m Mark, call Row) {
	if m.at == untimed {
		return
	}
	now := r.Meter.now()
	r.Meter.sampling.Add(-1)
	r.held.first--
	r.held.span = Span{m.at, now}
	if !r.closed {
		r.timed(r.row[call], m, now, r.Meter.asleep.Load()-m.asleep)
	}
}
