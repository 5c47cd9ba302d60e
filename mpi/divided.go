package mpi

import (
	"cmp"
	"slices"

	"rhinet/collectives"
)

// Gatherv, Scatterv and Alltoallv that do not block. Each rank knows only a part of the
// counts, so the ranks cannot agree on how the call goes. But both ranks of a part know its
// length, so they agree on how the part goes: up to share bytes by the flag of the rank
// that gives it, and a longer part as a message, which is sent and received at once. All
// ranks take part in the exchange. A rank that has long parts also prepares the call by
// messages, without its short parts.
//
//	exchange: raise the flag, and wait for those of others
//	messages: post the first round at once; at the end, see whether the exchange has ended
//
// A flag describes what it holds. So a rank notices at the end of the exchange if it
// expects a part of another length, and knows then whether to receive a message that it
// does not expect, or to give up the receive of one that does not come.

// A divided is what an exchange needs in addition for such a call.
type divided struct {
	share    int    // longest part that goes by flags; 0: it is another call
	in       []byte // what this rank gives: gives are parts of it
	gives    []part // the parts for all ranks; only one if root takes them
	takes    []part // the parts of out from all ranks; only one if root gives them
	envelope []byte // memory for what the flag carries
	tag      int    // of the messages

	agreed    bool        // all flags have been compared with what this rank expects
	surprised bool        // and they say something else
	surprise  func() bool // made once: unlike
	posted    bool        // the messages have been begun
	closed    bool        // close has been called, and verdict is its result
	verdict   error
	announced uint64 // bits of the ranks that send a message where a short part belongs
}

// divide is the part of prepare for such a call.
func (e *exchange) divide(d *described, call *collectives.Call, size, rank int) bool {
	if d.share <= 0 {
		return false
	}
	in, out, root := call.Send, call.Recv, rank == call.Root
	e.share, e.in, e.gives, e.takes = d.share, in, e.gives[:0], e.takes[:0]
	if root || call.Kind == collectives.Alltoallv {
		e.gives = appendParts(e.gives, call.SendCounts, call.SendDispls, call.Elem)
		e.takes = appendParts(e.takes, call.RecvCounts, call.RecvDispls, call.Elem)
	}
	same, flags := sameStart(in, out), 0 // flags that this rank reads
	switch call.Kind {
	case collectives.Gatherv:
		own := part{0, len(in)}
		if e.flow = collectives.ToRoot; root {
			if flags = size; same {
				own = e.takes[rank]
			}
		}
		e.gives = append(e.gives, own)
	case collectives.Scatterv:
		own := part{0, len(out)}
		if e.flow = collectives.FromRoot; !root {
			flags = 1
		} else if same {
			own = e.gives[rank]
		}
		e.takes = append(e.takes, own)
	case collectives.Alltoallv:
		if flags = size; same {
			e.gives = append(e.gives[:0], e.takes...)
		}
	}
	e.n = d.room
	memory := e.scratch((flags + 1) * d.room)
	e.take, e.envelope = memory[:flags*d.room], memory[flags*d.room:]
	return true
}

// long reports whether a part of this rank goes as a message.
func (e *exchange) long() bool {
	return slices.ContainsFunc(e.gives, e.exceeds) || slices.ContainsFunc(e.takes, e.exceeds)
}

// exceeds reports whether a part goes as a message.
func (e *exchange) exceeds(p part) bool { return p.n > e.share }

// beside prepares the messages of a call of which only short parts go by flags.
func (l *launch) beside(call *collectives.Call) (err error) {
	e := &l.exchange
	if !e.long() {
		e.tag = l.group.Omit()
		return nil
	}
	l.way, call.Least = byBoth, e.share+1
	if l.op, err = l.group.PrepareAgain(l.op, *call); err == nil {
		e.tag = l.op.Tag()
	}
	return err
}

// enclose is the part of ready for such a call.
func (e *exchange) enclose() {
	x := e.of.x
	rank, root := x.c.rank, x.c.rank == e.root
	if e.surprise == nil {
		e.surprise = e.unlike
	}
	e.agreed, e.surprised, e.posted, e.closed, e.verdict, e.announced, e.give = false, false, false, false, nil, 0, nil
	switch {
	case e.flow == collectives.AllToAll:
		e.wrap(rank)
		e.keep(e.gives[rank], e.takes[rank])
		e.missing = x.everybody()
	case e.flow == collectives.ToRoot && root:
		e.keep(e.gives[0], e.takes[rank])
		e.missing = x.everybody()
	case e.flow == collectives.ToRoot:
		e.wrap(-1)
	case root:
		e.wrap(rank)
		e.keep(e.gives[rank], e.takes[0])
	default:
		e.missing = 1 << x.at[e.root]
	}
}

// wrap has the flag carry the short parts, except the one with the number own.
func (e *exchange) wrap(own int) {
	end := collectives.Head(len(e.gives))
	for i, p := range e.gives {
		switch {
		case i == own:
		case e.exceeds(p):
			collectives.Announce(e.envelope, i)
		default:
			end = collectives.Insert(e.envelope, i, end, e.in[p.at:][:p.n])
		}
	}
	e.give = e.envelope[:end]
}

// keep copies the part that stays at this rank, if it is short.
func (e *exchange) keep(from, to part) {
	if !e.exceeds(from) {
		copy(e.out[to.at:][:to.n], e.in[from.at:][:from.n])
	}
}

// disclose takes the short parts from the flags, and compares the lengths of all.
func (e *exchange) disclose() (err error) {
	for src, p := range e.taken {
		message, bad := collectives.Unwrap(e.out[p.at:][:p.n], e.part(src), e.descriptor(), src)
		switch long := e.exceeds(p); {
		case message && !long:
			e.announced |= 1 << e.of.x.at[src]
		case !message && long:
			e.t.forgo(src)
		}
		err = cmp.Or(err, bad)
	}
	if e.set == nil && e.announced == 0 {
		e.in, e.out = nil, nil
	}
	return err
}

// taken yields the parts that this rank takes from other ranks.
func (e *exchange) taken(yield func(src int, p part) bool) {
	for src, p := range e.takes {
		if e.kind == collectives.Scatterv {
			src = e.root
		}
		if src != e.of.x.c.rank && !yield(src, p) {
			return
		}
	}
}

// descriptor is the number of the descriptor of what is for this rank in a flag.
func (e *exchange) descriptor() int {
	if e.kind == collectives.Gatherv {
		return 0
	}
	return e.of.x.c.rank
}

// close ends the exchange, which is over, once, and returns how it has ended.
func (e *exchange) close() error {
	if !e.closed {
		if e.closed = true; e.failed() {
			e.verdict = e.finish()
		} else {
			e.verdict = e.disclose()
		}
	}
	return e.verdict
}

// failed reports whether the exchange has ended before its flags were seen.
func (e *exchange) failed() bool { return !e.raised || e.missing != 0 }

// both begins the messages of an exchange that has begun.
func (o *operation) both() {
	e := &o.launch.exchange
	o.share()
	o.c.coll.began()
	o.t.op = o
	if f := e.set; f == nil || f.broken == nil {
		e.posted = true
		if !o.bothEnded(o.launch.op.Begin(o.t)) {
			return // the transport advances o
		}
	}
	o.finish()
}

// bothEnded reports whether the exchange has ended, too, if the messages have. Most
// often the flags have been seen by then: a rank raises its flag before it sends.
func (o *operation) bothEnded(messages bool) bool {
	e := &o.launch.exchange
	return messages && (e.closed || o.when(nil, e.test))
}

// watch returns the condition that ends a wait for messages early, or nil.
func (o *operation) watch() func() bool {
	if e := &o.launch.exchange; o.launch.way == byBoth && !e.closed {
		return e.surprise
	}
	return nil
}

// interrupted reports whether the condition of watch has ended a wait. Then it ends the
// exchange; err is not nil if that has failed.
func (o *operation) interrupted() (ended bool, err error) {
	e := &o.launch.exchange
	if o.launch.way != byBoth || e.closed || !e.surprised {
		return false, nil
	}
	if err = e.close(); !e.failed() {
		err = nil // finishParts returns it
	}
	return true, err
}

// unlike reports whether the flags of others, once all are up, do not fit the messages
// that this rank expects. The lock of the transport is held.
func (e *exchange) unlike() bool {
	if !e.agreed && e.over() {
		e.agreed = true
		e.surprised = e.failed() || e.t.told() || e.misfit()
	}
	return e.surprised
}

// misfit reports whether another rank sends a part in another way than this rank expects.
func (e *exchange) misfit() bool {
	for src, p := range e.taken {
		if collectives.Announces(e.part(src), e.descriptor()) != e.exceeds(p) {
			return true
		}
	}
	return false
}

// stuck reports whether finish may wait: for messages of an exchange that has failed, or
// for messages that were not expected.
func (l *launch) stuck() bool {
	e := &l.exchange
	if l.way == byMessages || l.way == byFlags {
		return false
	}
	_ = e.close() // finishParts returns the error
	return e.posted && e.failed() || e.announced != 0
}

// finishParts ends the exchange and its messages.
func (l *launch) finishParts() error {
	e := &l.exchange
	err := e.close()
	if e.posted {
		if e.failed() {
			_ = e.t.Wait(0, collSlots) // the messages that are under way end, too
		}
		err = cmp.Or(err, l.op.Finish())
		e.t.absent = 0
	}
	return cmp.Or(err, e.receive())
}

// receive receives the messages that were not expected, which their senders wait for:
// they do not fit.
func (e *exchange) receive() (err error) {
	if e.announced == 0 {
		return nil
	}
	for src, p := range e.taken {
		if e.announced>>e.of.x.at[src]&1 != 0 {
			err = cmp.Or(err, e.t.Recv(e.out[p.at:][:p.n], src, e.tag))
		}
	}
	return err
}
