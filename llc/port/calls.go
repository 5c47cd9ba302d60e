package port

import (
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// depart leaves the port, and has the helper look after what is under way.
func (p *Port) depart() {
	if p.is(due) {
		p.carryOn()
	}
	p.handOver()
	p.gate.leave()
}

// handOver has the helper look after what this goroutine leaves under way, and
// after what others started while it polled.
func (p *Port) handOver() {
	if p.helper.away && p.busy() {
		p.helper.consider(p)
	}
}

// Recv receives a message into buf and returns when it is there. src is a peer
// or llc.AnyPeer. The error is that of the status, or ErrClosed.
func (p *Port) Recv(key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	size, its, got := p.take(key, src, tag, buf, true)
	if got < size {
		return p.recvRest("", key, src, tag, buf, size, its, got)
	}
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// RecvFor is Recv under the name call in reports.
func (p *Port) RecvFor(call string, key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	size, its, got := p.take(key, src, tag, buf, false)
	if got < size {
		return p.recvRest(call, key, src, tag, buf, size, its, got)
	}
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// Receive is Start for a receive of a peer, and Wait.
func (p *Port) Receive(r *llc.Request) {
	size, its, got := p.take(llc.MakeKey(r.Context, r.Type), r.Peer, r.Tag, r.Buf, true)
	if got == size {
		p.gate.leave()
		r.Status = llc.Status{Source: r.Peer, Tag: its, Bytes: int64(size)}
		return
	}
	switch {
	case p.is(drained):
		closedOff(r)
	case got == none:
		p.shun = max(p.shun-1, 0)
		p.irecv(r)
	default:
		r.Notify = false
		p.eng.AcceptRest(r, size, its, got)
		p.relieve()
	}
	if !r.Done() && !p.finish(r, "Wait", nil) {
		closedOff(r)
	}
	p.depart()
}

// recv is the slow path. r, if not nil, has been posted, or has a part of the message.
func (p *Port) recv(call string, key llc.Key, src, tag int, buf []byte, r *llc.Request) (st llc.Status, err error) {
	if p.is(drained) {
		p.gate.leave()
		return llc.Status{}, ErrClosed
	}
	if p.is(sampled) && r == nil {
		return p.timedRecv(call, key, src, tag, buf)
	}
	var l *pollDelay
	if r == nil {
		l = &p.pollDelay
		r = p.request()
		r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
		r.Label = call
		p.begin(r)
	}
	if !r.Done() && !p.finish(r, "Recv", l) {
		p.eng.Cancel(r)
		p.gate.leave()
		return llc.Status{}, ErrClosed
	}
	if p.packets.begun != 0 {
		p.endPackets()
	}
	from := &r.Status // field by field: wide loads would wait for narrow stores
	st.Source, st.Tag, st.Bytes, st.Err = from.Source, from.Tag, from.Bytes, from.Err
	p.keep(r)
	if p.seen != nil {
		p.received(call, message(key, st.Source, st.Tag, int(st.Bytes)), st.Err)
	}
	p.depart()
	return st, st.Err
}

// begin posts the receive of a blocking call.
func (p *Port) begin(r *llc.Request) {
	p.shun = max(p.shun-1, 0)
	p.eng.Recv(r)
	p.post()
	if p.eng.Telling() { // it took a message of this peer to itself
		p.announce()
	}
}

// Start begins a send or a receive. r belongs to the port until Wait, WaitAll, Test, WaitAny or WaitContext
// has reported that it is complete. After Close it fails at once.
func (p *Port) Start(r *llc.Request, send bool) {
	p.lock()
	switch {
	case p.is(drained):
		closedOff(r)
	case !send:
		p.irecv(r)
	case r.Mode != llc.Standard:
		p.isendOther(r)
	case p.direct(llc.MakeKey(r.Context, r.Type), r.Peer, r.Tag, r.Buf):
		p.eng.Went(r)
	default:
		p.isendLong(llc.MakeKey(r.Context, r.Type), r)
	}
	p.gate.leave()
}

// Isend is Start for a send in Standard mode, with one of the spares, which it returns with its buffer set.
// gone reports whether the send is complete already: then it need not be waited for. If there is no spare, or
// if no message of this port goes by the lane, it returns nil, and nothing has changed.
func (p *Port) Isend(s *Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool) {
	p.lock()
	if p.express != nil && !p.is(drained) {
		if r = s.take(); r != nil {
			r.Buf = buf
			l := p.eng.Lane(dst)
			if l.Admits(tag, len(buf)) {
				if l.Out == nil {
					p.place(l, l.Step(), key, dst, tag, buf)
				} else {
					p.put(l, key, dst, tag, buf)
				}
				p.eng.Went(r)
				p.gate.leave()
				return r, true
			}
			r.Peer, r.Context, r.Type, r.Tag, r.Mode = dst, key.Context(), key.Type(), tag, llc.Standard
			gone = p.isendLong(key, r)
		}
	}
	p.gate.leave()
	return r, gone
}

// isendLong is Isend for a message that is longer than a line, or finds no room.
func (p *Port) isendLong(key llc.Key, r *llc.Request) (all bool) {
	if p.eng.Lane(r.Peer).Shut() {
		p.isend(r, 0)
		return false
	}
	gone := p.parts(key, r.Peer, r.Tag, r.Buf, len(r.Buf))
	if all = gone > 0 && gone == len(r.Buf); all {
		p.eng.Went(r)
	} else {
		p.isend(r, gone)
	}
	return all
}

// Irecv is Start for a receive, with one of the spares, which it returns; for nil see Isend.
func (p *Port) Irecv(s *Spares, key llc.Key, src, tag int, buf []byte) (r *llc.Request) {
	p.lock()
	if p.express != nil && !p.is(drained) {
		if r = s.take(); r != nil {
			r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
			r.Notify = true
			p.begun++
			// Most often it only waits, and a goroutine or the helper looks after it.
			p.eng.Recv(r)
			p.eng.Invite(r)
			if r.Done() || p.eng.Wants() || p.helper.away || p.is(asleep) {
				p.began(r)
			}
		}
	}
	p.gate.leave()
	return r
}

// irecv starts a receive.
func (p *Port) irecv(r *llc.Request) {
	// Counted before it starts: the engine lists it even if it is done at once.
	r.Notify = true
	p.begun++
	p.eng.Recv(r)
	p.eng.Invite(r)
	p.began(r)
}

// began goes on after a receive has started.
func (p *Port) began(r *llc.Request) {
	p.post()
	p.hasten(r)
	p.settle(r)
}

// isend starts a send of which gone bytes have gone by the lane.
func (p *Port) isend(r *llc.Request, gone int) {
	// Counted before it starts: the engine lists it even if it is done at once.
	r.Notify = true
	p.begun++
	if gone > 0 {
		p.eng.SendRest(r, gone)
	} else if len(r.Buf) > p.packed {
		p.offer(r)
	} else {
		p.eng.Send(r)
	}
	p.post()
	if !r.Done() && p.eng.Blocked() {
		p.turn() // its first event tells where there is room
	}
	p.hasten(r)
	p.settle(r)
}

// hasten takes the answers that a transfer waits for which has just begun: then the other side can move it,
// whatever this side computes meanwhile.
func (p *Port) hasten(r *llc.Request) {
	for i := 0; i < firstAnswers && !r.Done() && p.eng.Owed() && !p.is(closed); i++ {
		if !p.turn() || p.ev.Kind == 0 {
			return
		}
	}
}

// settle looks after what was started, if no goroutine polls.
func (p *Port) settle(r *llc.Request) {
	p.announce()
	if r.Done() || p.is(polling) {
		return
	}
	if p.is(asleep) {
		p.stir()
		return
	}
	if p.helper.away {
		p.helper.engage(p)
	}
}

// closedOff has r fail because the port is closed. Its Status keeps nothing of an earlier use.
func closedOff(r *llc.Request) {
	r.Status = llc.Status{Source: r.Peer, Tag: r.Tag, Err: ErrClosed}
}

// Wait returns when r is complete, or when the port is closed; then r.Status has ErrClosed.
func (p *Port) Wait(r *llc.Request) {
	p.lock()
	if !r.Done() && !p.finish(r, "Wait", nil) {
		closedOff(r)
	}
	p.gate.leave()
}

// WaitAll returns when first and the requests linked to it are complete, or when the port is closed; then the
// incomplete ones have ErrClosed.
func (p *Port) WaitAll(first *llc.Request) {
	p.lock()
	p.waitEach(first)
	p.gate.leave()
}

// waitEach waits for each of the requests.
func (p *Port) waitEach(first *llc.Request) {
	for r := first; r != nil; r = r.Link {
		if r.Done() {
			continue
		}
		if p.gather(r.Peer); !r.Done() && !p.finish(r, "WaitAll", nil) {
			closedOff(r)
		}
	}
}

// Test reports whether r is complete, after a look at the network. On a closed
// port every request is complete, with ErrClosed.
func (p *Port) Test(r *llc.Request) bool {
	p.lock()
	done := r.Done()
	for i := 0; !done && !p.is(closed) && i < burst && p.peek(); i++ {
		done = r.Done()
	}
	if done = done || r.Done(); !done && p.is(closed) {
		closedOff(r)
		done = true
	}
	p.miss(&r.Looked, done)
	return done
}

// miss leaves the port after a look, and may yield the processor after a fruitless one: see misses.
func (p *Port) miss(looked *uint32, found bool) {
	if p.is(due) {
		p.carryOn()
	}
	yield := false
	if found {
		p.misses.found()
	} else {
		yield = p.misses.miss(looked, p.policy.Oversubscribed())
		if p.misses.audit() {
			p.audit()
		}
	}
	p.gate.leave()
	if p.clock != nil {
		if !found {
			p.clock.Miss()
		}
	} else if yield {
		p.policy.GiveWay()
	}
}

// Cancel takes back a receive that no message has matched yet and reports
// whether it could: then r is complete, with llc.ErrCancelled.
func (p *Port) Cancel(r *llc.Request) bool {
	p.lock()
	defer p.gate.leave()
	for !r.Done() {
		if p.eng.Cancel(r) {
			p.announce()
			return true
		}
		if !p.eng.Revoke(r) {
			break
		}
		p.post()
		p.turn()
	}
	return false
}

// Await calls begin, unless it is nil, and makes progress until cond holds, or until the port is closed, or
// until it has slept in vain after a peer was lost (see Failure). A closed port calls neither function. Both
// are called with the port's lock held, cond perhaps by another goroutine: they must be short and must not
// call the port. call names the wait in reports.
func (p *Port) Await(call string, begin func(), cond func() bool) {
	p.awaitCond(call, nil, begin, cond)
}

// AwaitCollective is Await for a part of a collective call.
func (p *Port) AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool) {
	p.awaitCond(call, c, begin, cond)
}

func (p *Port) awaitCond(call string, c *ir.Collective, begin func(), cond func() bool) {
	p.lock()
	if p.is(closed) {
		p.gate.leave()
		return
	}
	if begin != nil {
		begin()
	}
	begun := p.meter.Begin()
	// Conditions may hold at once again and again; requests under way must make progress nevertheless.
	busy := p.busy()
	if busy {
		p.turn()
	}
	oversubscribed := p.policy.Oversubscribed()
	if !oversubscribed && begin != nil {
		wait.PollDelay(condDelay)
	}
	if !p.soon(cond) {
		b := p.policy.Begin()
		since := p.meter.Sleep()
		met := oversubscribed && !busy && p.giveWay(cond, &b)
		p.meter.Woke(since)
		if !met {
			w := p.waiters.take()
			w.kind, w.call, w.cond, w.collective = waitCond, call, cond, c
			p.await(w, &b)
			p.waiters.keep(w)
		}
	}
	if p.is(due) {
		p.carryOn()
	}
	p.meter.End(begun)
	p.gate.leave()
}

// Open says which messages a context takes from now on: see [llc.Engine.Open].
func (p *Port) Open(ctx uint16, mask, want uint32) {
	p.lock()
	p.eng.Open(ctx, mask, want)
	p.gate.leave()
}

// Shut ends the use of a context: see [llc.Engine.Shut].
func (p *Port) Shut(ctx uint16) {
	p.lock()
	defer p.gate.leave()
	if p.is(drained) {
		return
	}
	p.eng.Shut(ctx)
	p.post()
	p.announce()
	p.handOver()
}

// Drain ends the use of a context but for the receives that wait: see [llc.Engine.Drain].
func (p *Port) Drain(ctx uint16) (waiting int) {
	p.lock()
	defer p.gate.leave()
	if p.is(drained) {
		return 0
	}
	waiting = p.eng.Drain(ctx)
	p.post()
	p.announce()
	p.handOver()
	return waiting
}

// FlagArray returns the shared flag arrays of the network, nil if it has none. Flags are raised in begin of
// Await. Any goroutine may call Raised, and so may the condition of Await.
func (p *Port) FlagArray() ir.FlagArray { return p.flagArray }

// Sequences returns how many sequences the network's barrier controllers keep, 0 if it has none.
func (p *Port) Sequences() int {
	if p.barriers == nil {
		return 0
	}
	return p.barriers.Sequences()
}

// Codes opens a sequence of the network's barrier controllers, between peers and this rank, from place base
// on. It returns nil if the network has none, or fewer sequences. Codes are used in begin and in the
// condition of Await, and within Perform.
func (p *Port) Codes(sequence int, peers []int, base uint64) (ir.Codes, error) {
	p.lock()
	defer p.gate.leave()
	if p.barriers == nil || sequence >= p.barriers.Sequences() {
		return nil, nil
	}
	return p.barriers.Sequence(sequence, peers, base)
}

// Switch returns the sets of the network, nil if it has none. Operations on them start in begin of
// AwaitCollective, or in Perform.
func (p *Port) Switch() ir.Switch { return p.sw }

// Unreceived calls visit, which must not call the port, for each message that waits for a receive: see
// [llc.Engine.Unreceived].
func (p *Port) Unreceived(visit func(ctx uint16, m llc.Status)) {
	p.lock()
	defer p.gate.leave()
	p.eng.Unreceived(visit)
}

// Addressed reports whether anything has been sent to a peer: see [llc.Engine.Addressed].
func (p *Port) Addressed(peer int) bool {
	p.lock()
	defer p.gate.leave()
	return p.eng.Addressed(peer)
}

// Unexpected returns how many messages have waited for a receive in a context so far.
func (p *Port) Unexpected(ctx uint16) uint64 {
	p.gate.enter()
	defer p.gate.leave()
	return p.eng.Unexpected(ctx)
}
