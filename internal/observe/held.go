package observe

import (
	"sync"

	"rhinet/internal/clock"
)

// The calls of most messages are counted by the port that makes them, while it is locked, so counting needs
// neither a lock nor a time stamp of its own. The methods in this file must be called with the lock held
// that Guard has set.

// Of the calls that a port counts, after the first ones, the next that is timed comes heldSkip+1 to
// heldSkip+heldSpan calls later, at random: timing a call costs about as much as the call. A call that
// completes many requests is timed once in pickSpan times.
const (
	heldSkip = 47
	heldSpan = 32 // a power of two
	pickSpan = 8  // also one
)

// held is the state for the calls of the port.
type held struct {
	first  int    // calls still to be timed before sampling begins
	next   uint64 // number of calls of the port at which the next one is timed
	due    uint64 // next, or 0 if Settle has more to do, which in a traced job is always the case
	asleep int64  // how long the current call has slept
	span   Span   // when its wait began and ended, if measured: To is 0 if not
}

// A Span is the time between two points.
type Span struct{ From, To int64 }

// A Message describes a message that a call has sent or received.
type Message struct {
	Context   uint16
	Peer, Tag int
	Bytes     int
}

// Guard makes lock guard what r writes, in place of its own lock. It must be called before anything is
// counted.
func (r *Rank) Guard(lock sync.Locker) { r.guard = lock }

// Called counts a call that has no message, or whose message is counted elsewhere. Other calls are counted
// by Near and Count.
func (r *Rank) Called(call Row, bytes int) {
	row := r.row[call]
	add(row[rowCount:][:wordBytes], 1)
	add(row[rowBytesMoved:][:wordBytes], uint64(bytes))
}

// Due reports whether Settle must be called after this many calls of the port, to do more than count the
// call.
func (r *Rank) Due(calls uint64) bool { return calls >= r.held.due }

// Arrived writes the event of a message that was received by a part of another call at a time of Now, if
// the job is traced.
func (r *Rank) Arrived(m Message, at int64) {
	if r.page != nil {
		b := r.take()
		b.fill(0, eventOf(Irecv, Receives|point, m.Context, m.Peer), m.Tag, m.Bytes)
		set(b[:], eventEnd, uint64(at))
	}
}

// record writes the event of a call that has waited, or of any call in a job whose clock is not the
// processor's counter.
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

// Waited notes the wait of the current call: how long it slept, and when it began and ended, if that was
// measured.
func (r *Rank) Waited(s Span, asleep int64) {
	h := &r.held
	if h.span = s; asleep > 0 {
		h.asleep += asleep
		h.due = 0
	}
}

// Settle ends the counting of a call that is due, which has sent or received a message if flags say so. It
// reports whether the next call is to be timed.
func (r *Rank) Settle(call Row, flags Flags, m Message, calls uint64) bool {
	h := &r.held
	if h.span.To|h.asleep != 0 || r.page == nil || !r.Meter.counts {
		return r.settle(call, flags, m, calls)
	}
	// The beginning of this call was not measured. The reader gives its event the mean duration of such
	// calls.
	b := r.take()
	b.fill(0, eventOf(call, flags|begun, m.Context, m.Peer), m.Tag, m.Bytes)
	set(b[:], eventEnd, uint64(clock.Ticks()))
	return calls >= h.next
}

// settle is Settle for a call with a measured wait, or in a job that is not traced.
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

// Next reports whether the call after this many calls of the port is to be timed.
func (r *Rank) Next(calls uint64) bool { return calls >= r.held.next }

// Slept adds the time that the current call has slept.
func (r *Rank) Slept(call Row, id CommID) {
	if h := &r.held; h.asleep != 0 {
		add(r.row[call][rowSleep:][:wordBytes], uint64(h.asleep))
		r.waited(id, h.asleep)
		h.asleep = 0
	}
}

// Forget discards the wait of a call that is counted elsewhere.
func (r *Rank) Forget() {
	h := &r.held
	h.asleep, h.span = 0, Span{}
	r.rest()
}

// rest computes when a call is due next: in a traced job, every call is.
func (r *Rank) rest() {
	if r.held.due = r.held.next; r.plan.events > 0 {
		r.held.due = 0
	}
}

// Sample begins to time the next call.
func (r *Rank) Sample() Mark { return r.begin() }

// Sampled ends the call that Sample began, if it was made, and chooses the next call to time, after this
// many calls of the port. It reports whether that is the next one.
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

// Pick begins a call that is timed at random, or always if its job is traced.
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
