package observe

import (
	"sync"

	"rhinet/internal/clock"
)

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
	due    uint64 // next, or 0 if there is more to settle, as there always is of a job that is traced
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

// Called counts a call whose message, if it has one, is counted elsewhere. Others count by Near and Count.
func (r *Rank) Called(call Row, bytes int) {
	row := r.row[call]
	add(row[rowCount:][:wordBytes], 1)
	add(row[rowBytesMoved:][:wordBytes], uint64(bytes))
}

// Due reports whether there is more to do than to count a call, after so many calls of the port: then Settle does it.
func (r *Rank) Due(calls uint64) bool { return calls >= r.held.due }

// Arrived writes the event of a message that a part of another call has received, if somebody wants it, at a time of Now.
func (r *Rank) Arrived(m Message, at int64) {
	if r.page != nil {
		b := r.take()
		b.fill(0, eventOf(Irecv, Receives|point, m.Context, m.Peer), m.Tag, m.Bytes)
		set(b[:], eventEnd, uint64(at))
	}
}

// record writes the event of a call that has waited, or in a job whose clock is not the processor's counter.
func (r *Rank) record(call Row, flags Flags, m Message) {
	s := &r.held.span
	to, lasted := s.To, s.To-s.From
	switch {
	case to == 0:
		to, lasted, flags = r.Meter.now(), 0, flags|begun
	case flags&Sends != 0: // which had gone before the wait
		flags |= begun
	}
	s.To = 0
	r.write(to, lasted, eventOf(call, flags, m.Context, m.Peer), m.Tag, m.Bytes)
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

// Settle ends the counting of a call that is due, which has sent or received a message if flags say so. It reports whether the next
// call is to be timed.
func (r *Rank) Settle(call Row, flags Flags, m Message, calls uint64) bool {
	h := &r.held
	if h.span.To|h.asleep != 0 || r.page == nil || !r.Meter.counts {
		return r.settle(call, flags, m, calls)
	}
	// An event of which nobody has measured when it began is as long as such a call takes in the mean: the reader finds that out.
	b := r.take()
	b.fill(0, eventOf(call, flags|begun, m.Context, m.Peer), m.Tag, m.Bytes)
	set(b[:], eventEnd, uint64(clock.Ticks()))
	return calls >= h.next
}

// settle is Settle of a call of which more is known, or whose event nobody wants.
func (r *Rank) settle(call Row, flags Flags, m Message, calls uint64) bool {
	h := &r.held
	if r.plan.events > 0 {
		r.record(call, flags, m)
	}
	if h.asleep != 0 {
		id := r.CommOf(m.Context)
		if flags&Sends != 0 {
			id = r.CommTo(m.Peer, m.Context)
		}
		r.Slept(call, id)
	}
	r.Forget()
	return calls >= h.next
}

// Next reports whether the call that comes after so many of the port is to be timed.
func (r *Rank) Next(calls uint64) bool { return calls >= r.held.next }

// Slept adds what a call has slept.
func (r *Rank) Slept(call Row, id CommID) {
	if h := &r.held; h.asleep != 0 {
		add(r.row[call][rowSleep:][:wordBytes], uint64(h.asleep))
		r.waited(id, h.asleep)
		h.asleep = 0
	}
}

// Forget drops what is known of the wait of a call that somebody else counts.
func (r *Rank) Forget() {
	h := &r.held
	h.asleep, h.span = 0, Span{}
	r.rest()
}

// rest says when a call is due next: each is whose event is written.
func (r *Rank) rest() {
	if r.held.due = r.held.next; r.plan.events > 0 {
		r.held.due = 0
	}
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
	r.rest()
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
