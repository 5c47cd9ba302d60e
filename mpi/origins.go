package mpi

import (
	"rhinet/internal/callsite"
	"rhinet/llc"
	"rhinet/llc/port"
)

// In a checked job (see Job.Check) each rank remembers the lines from which it has
// sent. Messages do not carry the line: those to one rank with one tag in one context
// are received in the order in which they were sent, so those never received are the
// last ones, and the receiver asks for their lines when all ranks meet in Finalize: see
// trace.

// origins are the lines from which a rank has sent. The lock of the pool of requests
// guards them.
type origins struct {
	recent [1 << recentBits]*stream // those in use now, by a hash of the key
	all    map[uint64]*stream
	anew   bool // streams have been forgotten
}

// A stream is what was sent to one rank with one tag in one context.
type stream struct {
	key    uint64
	last   origin
	before []origin // those before the last one, as far as they are remembered
	lost   bool     // there may be more before these
}

// An origin is a line from which n messages were sent in a row.
type origin struct {
	line *callsite.Line
	n    int
}

const (
	recentBits  = 8
	keptStreams = 1 << 14 // a rank with more forgets all, and starts anew
	keptOrigins = 8       // of a stream
)

// streamKey identifies a stream: a tag has 31 bits, a context 16.
func streamKey(ctx uint16, to, tag int) uint64 {
	return uint64(to)<<47 | uint64(ctx)<<31 | uint64(tag)
}

// add records a message that is sent from a line.
func (o *origins) add(key uint64, line *callsite.Line) {
	if o.again(key, line) {
		return
	}
	s := o.stream(key)
	*o.place(key) = s
	if s.last.line != line {
		s.turn(line)
	}
	s.last.n++
}

// again is add in the most common case: for a message from the same line as the last
// one of its stream, which is in use now. Else it returns false and has changed
// nothing. It is inlined, as add is not.
func (o *origins) again(key uint64, line *callsite.Line) bool {
	s := *o.place(key)
	if s == nil || s.key != key || s.last.line != line {
		return false
	}
	s.last.n++
	return true
}

// place returns the slot in recent of the stream with a key.
func (o *origins) place(key uint64) **stream {
	return &o.recent[key*0x9e3779b97f4a7c15>>(64-recentBits)]
}

// stream returns the stream with a key.
func (o *origins) stream(key uint64) *stream {
	s := o.all[key]
	if s == nil {
		if len(o.all) == keptStreams {
			clear(o.all)
			clear(o.recent[:])
			o.anew = true
		}
		s = &stream{key: key, lost: o.anew}
		o.all[key] = s
	}
	return s
}

// turn makes line the line of the next messages.
func (s *stream) turn(line *callsite.Line) {
	if sameLine(s.last.line, line) {
		return
	}
	if s.last.n > 0 {
		if len(s.before) == keptOrigins-1 {
			s.before = append(s.before[:0], s.before[1:]...)
			s.lost = true
		}
		s.before = append(s.before, s.last)
	}
	s.last = origin{line: line}
}

// withdraw records that a message from a line was not sent after all. Unless all
// messages from that line were sent in a row, it is unknown which one it was, and the
// messages so far are forgotten.
func (o *origins) withdraw(key uint64, line *callsite.Line) {
	s := o.all[key]
	if s == nil {
		return
	}
	var its *origin
	turns := 0
	for i := range s.before {
		if sameLine(s.before[i].line, line) {
			its, turns = &s.before[i], turns+1
		}
	}
	if sameLine(s.last.line, line) {
		its, turns = &s.last, turns+1
	}
	if s.lost || turns != 1 || its.n == 0 {
		s.before, s.last, s.lost = nil, origin{}, true
		return
	}
	its.n--
}

// sameLine reports whether two lines are the same: several calls on a line have a Line
// each.
func sameLine(a, b *callsite.Line) bool { return a == b || a != nil && b != nil && *a == *b }

// line returns the line of a message counted back from the last one, which is 1; for 0,
// which stands for any message, the line from which all were sent. It is nil if the
// line is not known.
func (o *origins) line(key uint64, back int) *callsite.Line {
	s := o.all[key]
	switch {
	case s == nil:
		return nil
	case back == 0 && (s.lost || len(s.before) > 0):
		return nil
	case back <= s.last.n:
		return s.last.line
	}
	back -= s.last.n
	for i := len(s.before) - 1; i >= 0; i-- {
		if back <= s.before[i].n {
			return s.before[i].line
		}
		back -= s.before[i].n
	}
	return nil
}

// A recorded is the transport of a rank that remembers the lines from which it has
// sent, for sends without a request: see transfer.watched.
type recorded struct {
	Transport
	k *requestPool
}

// recorded returns the transport of w, one that remembers origins if the job asks for
// them: not in virtual time, where that would be measured, nor on the library of
// another MPI.
func (w *world) recorded() Transport {
	_, foreign := w.Transport.(library)
	if foreign || !w.Check || w.requests.lines == nil || w.Clock != nil {
		return w.Transport
	}
	w.requests.origins = &origins{all: map[uint64]*stream{}}
	r := recorded{w.Transport, &w.requests}
	if p, ok := w.Transport.(*port.Port); ok {
		return &recordedPort{p, r}
	}
	return &r
}

// A recordedPort is recorded for a port, whose other calls it passes on directly.
type recordedPort struct {
	*port.Port
	recorded recorded
}

func (t *recordedPort) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	t.recorded.note(key.Context(), dst, tag) // not through recorded: a deeper stack makes the line costlier to find
	return t.Port.Send(key, dst, tag, mode, buf)
}

func (t *recordedPort) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	return t.recorded.TrySend(key, dst, tag, buf)
}

func (t *recordedPort) Start(r *llc.Request, send bool) { t.recorded.Start(r, send) }
func (t *recordedPort) Cancel(r *llc.Request) bool      { return t.recorded.Cancel(r) }

// pointToPoint reports whether a context is for point-to-point messages on a
// communicator.
func pointToPoint(ctx uint16) bool { return ctx < 2*maxContexts && ctx&1 == 0 }

// note remembers a message with the line of the caller.
func (t *recorded) note(ctx uint16, to, tag int) {
	if pointToPoint(ctx) {
		line := t.k.lines.Caller()
		t.k.mu.Lock()
		t.k.origins.add(streamKey(ctx, to, tag), line)
		t.k.mu.Unlock()
	}
}

// Send records the message first: another goroutine may send while it waits.
func (t *recorded) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	t.note(key.Context(), dst, tag)
	return t.Transport.Send(key, dst, tag, mode, buf)
}

func (t *recorded) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	ok := t.Transport.TrySend(key, dst, tag, buf)
	if ok {
		t.note(key.Context(), dst, tag)
	}
	return ok
}

func (t *recorded) Start(r *llc.Request, send bool) {
	if send {
		t.note(r.Context, r.Peer, r.Tag)
	}
	t.Transport.Start(r, send)
}

func (t *recorded) Cancel(r *llc.Request) bool {
	done := t.Transport.Cancel(r)
	if p, ok := r.Owner.(*transfer); done && ok && p.kind != receiving && pointToPoint(r.Context) {
		t.k.mu.Lock()
		t.k.origins.withdraw(streamKey(r.Context, r.Peer, r.Tag), p.made)
		t.k.mu.Unlock()
	}
	return done
}

// Failure returns why the network has been lost, see failure.
func (t *recorded) Failure() error { return failure(t.Transport) }
