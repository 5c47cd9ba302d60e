package port

import (
	"rhinet/internal/wait"
	"rhinet/llc"
	"rhinet/llc/ir"
)

// Send sends buf and returns when it may be used again; with mode Synchronous,
// when the matching receive has started as well. dst is a peer. The error is
// that of the request's Status, or ErrClosed.
func (p *Port) Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error {
	p.lock()
	if p.express != nil && mode == llc.Standard && !p.is(drained) {
		if slot, ok := p.eng.Direct(dst, tag, len(buf)); ok {
			llc.EagerWords(&p.head, key, tag, len(buf))
			p.express.Place(dst, slot, 0, &p.head, buf)
			p.gate.leave()
			return nil
		}
		if len(buf) > ir.Inline {
			return p.sendLong(key, dst, tag, buf)
		}
	}
	return p.sendRest(key, dst, tag, mode, buf, 0)
}

// sendRest is the long way of a message of which so many bytes have gone by the lane.
func (p *Port) sendRest(key llc.Key, dst, tag int, mode llc.Mode, buf []byte, gone int) error {
	if p.is(drained) {
		p.gate.leave()
		return ErrClosed
	}
	r := p.request()
	r.Peer, r.Context, r.Type, r.Tag, r.Mode, r.Buf = dst, key.Context(), key.Type(), tag, mode, buf
	if gone > 0 {
		p.eng.SendRest(r, gone)
	} else {
		p.eng.Send(r)
	}
	p.post()
	if p.eng.Telling() { // it went to a receive of this peer itself
		p.announce()
	}
	if !r.Done() && !p.finish(r, "Send", nil) {
		p.gate.leave()
		return ErrClosed // r is lost: the engine may still hold it
	}
	err := r.Status.Err
	p.keep(r)
	p.depart()
	return err
}

// depart leaves the port, and has the helper look after what is under way.
func (p *Port) depart() {
	p.handOver()
	p.gate.leave()
}

// handOver has the helper look after what this goroutine leaves under way, and
// after what others started while it polled.
func (p *Port) handOver() {
	if p.helper.away && (p.open != 0 || !p.eng.Idle()) {
		p.helper.consider(p)
	}
}

// Recv receives a message into buf and returns when it is there. src is a peer
// or llc.AnyPeer. The error is that of the status, or ErrClosed.
func (p *Port) Recv(key llc.Key, src, tag int, buf []byte) (st llc.Status, err error) {
	p.lock()
	if !p.ready(src) {
		return p.recv(key, src, tag, buf, nil)
	}
	if waited := !p.lull.calm() || !p.express.Look(src, &p.view); waited {
		if !p.expect(key, src) {
			return p.recv(key, src, tag, buf, nil)
		}
	} else {
		p.lull.instant++
		p.lull.waits++
	}
	size, its, ok := p.eng.Accept(src, key, tag, &p.view, buf)
	if !ok {
		p.shun = shunned
		p.relieve()
		return p.recv(key, src, tag, buf, nil)
	}
	got := len(p.view.Data)
	p.express.Take()
	if got < size {
		if got = p.next(src, buf[:size], got); got < size {
			return p.recvRest(key, src, tag, buf, size, its, got)
		}
	}
	p.relieve()
	p.gate.leave()
	st.Source, st.Tag, st.Bytes = src, its, int64(size)
	return st, nil
}

// recv is the long way. r, if not nil, has a part of the message.
func (p *Port) recv(key llc.Key, src, tag int, buf []byte, r *llc.Request) (st llc.Status, err error) {
	if p.is(drained) {
		p.gate.leave()
		return llc.Status{}, ErrClosed
	}
	var l *lull
	if r == nil {
		p.shun = max(p.shun-1, 0)
		l = &p.lull
		r = p.request()
		r.Peer, r.Context, r.Type, r.Tag, r.Buf = src, key.Context(), key.Type(), tag, buf
		p.eng.Recv(r)
		p.post()
		if p.eng.Telling() { // it took a message of this peer itself
			p.announce()
		}
	}
	if !r.Done() && !p.finish(r, "Recv", l) {
		p.eng.Cancel(r)
		p.gate.leave()
		return llc.Status{}, ErrClosed
	}
	from := &r.Status // field by field: wide loads would wait for narrow stores
	st.Source, st.Tag, st.Bytes, st.Err = from.Source, from.Tag, from.Bytes, from.Err
	p.keep(r)
	p.depart()
	return st, st.Err
}

// Start begins a send or a receive. r belongs to the port until Wait, WaitAll, Test,
// WaitAny or WaitContext has said that it is complete. After Close it fails at
// once.
func (p *Port) Start(r *llc.Request, send bool) {
	p.lock()
	switch {
	case p.is(drained):
		closedOff(r)
	case send && r.Mode == llc.Standard && p.direct(llc.MakeKey(r.Context, r.Type), r.Peer, r.Tag, r.Buf):
		p.eng.Went(r)
	default:
		p.start(r, send)
	}
	p.gate.leave()
}

// TrySend is Send of a message that is a line, if it can go at once; else it reports
// false, and nothing has happened.
func (p *Port) TrySend(key llc.Key, dst, tag int, buf []byte) bool {
	p.lock()
	ok := !p.is(drained) && p.direct(key, dst, tag, buf)
	p.gate.leave()
	return ok
}

// start is the long way of Start.
func (p *Port) start(r *llc.Request, send bool) {
	// Counted before it starts: the engine lists it even if it is done at once.
	r.Notify = true
	p.open++
	if send {
		p.eng.Send(r)
	} else {
		p.eng.Recv(r)
	}
	p.post()
	if send && !r.Done() && p.eng.Stalled() {
		p.turn() // where there is room is the first that it tells
	}
	p.settle(r)
}

// settle looks after what was started, if nobody polls.
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

// closedOff has r fail because the port is closed. Nothing is left of what r was before.
func closedOff(r *llc.Request) {
	r.Status = llc.Status{Source: r.Peer, Tag: r.Tag, Err: ErrClosed}
}

// Wait returns when r is complete, or when the port is closed; then r.Status
// has ErrClosed.
func (p *Port) Wait(r *llc.Request) {
	p.lock()
	if !r.Done() && !p.finish(r, "Wait", nil) {
		closedOff(r)
	}
	p.gate.leave()
}

// WaitAll returns when all of rs are complete, or when the port is closed; then those that
// are not have ErrClosed.
func (p *Port) WaitAll(rs []*llc.Request) {
	p.lock()
	for _, r := range rs {
		if r.Done() {
			continue
		}
		if p.gather(r.Peer); !r.Done() && !p.finish(r, "WaitAll", nil) {
			closedOff(r)
		}
	}
	p.gate.leave()
}

// Test reports whether r is complete, after a look at the network. On a closed
// port every request is complete, with ErrClosed.
func (p *Port) Test(r *llc.Request) bool {
	p.lock()
	done := r.Done()
	for i := 0; !done && !p.is(closed) && i < burst && p.turn(); i++ {
		done = r.Done()
	}
	if done = done || r.Done(); !done && p.is(closed) {
		closedOff(r)
		done = true
	}
	p.miss(done)
	return done
}

// miss leaves the port, and leaves the processor to others after many
// fruitless looks.
func (p *Port) miss(found bool) {
	if found {
		p.misses = 0
	} else {
		p.misses++
	}
	if !found && p.misses%missesPerAudit == 0 {
		p.audit()
	}
	yield := !found && (p.policy.Spin == 0 || p.misses%missesPerYield == 0)
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
	if r.Done() || !p.eng.Cancel(r) {
		return false
	}
	p.announce()
	return true
}

// Probe reports whether a message waits that a receive with these arguments
// would take, and describes it. With block it waits for one; then false means
// that the port is closed, or see Failure.
func (p *Port) Probe(ctx uint16, src, tag int, block bool) (llc.Status, bool) {
	p.lock()
	if p.is(drained) {
		p.gate.leave()
		return llc.Status{}, false
	}
	st, ok := p.eng.Probe(ctx, src, tag)
	for i := 0; !ok && i < burst && p.turn(); i++ {
		st, ok = p.eng.Probe(ctx, src, tag)
	}
	if ok || !block {
		p.miss(ok)
		return st, ok
	}
	w := p.waiters.take()
	w.kind, w.call, w.context, w.src, w.tag = waitProbe, "Probe", ctx, src, tag
	p.nic.Hint(src)
	b := p.policy.Begin()
	for !ok && !p.is(closed) && !w.expired.Load() { // another goroutine may receive what the wait ended for
		p.await(w, &b)
		st, ok = p.eng.Probe(ctx, src, tag)
	}
	p.waiters.keep(w)
	p.gate.leave()
	return st, ok
}

// Match is Probe without block that takes the message out of reach of other
// receives: see llc.Engine.
func (p *Port) Match(ctx uint16, src, tag int, as uint16, handle int) (st llc.Status, ok bool) {
	p.lock()
	if !p.is(drained) {
		st, ok = p.eng.Match(ctx, src, tag, as, handle)
		for i := 0; !ok && i < burst && p.turn(); i++ {
			st, ok = p.eng.Match(ctx, src, tag, as, handle)
		}
	}
	p.miss(ok)
	return st, ok
}

// Await calls begin, unless it is nil, and makes progress until cond holds, or
// until the port is closed, or until it sleeps in vain after a peer has been lost
// (see Failure); a closed port calls neither. Both are called with
// the port's lock held, cond perhaps by another goroutine: they must be short
// and must not call the port. call names the wait in reports.
func (p *Port) Await(call string, begin func(), cond func() bool) {
	p.awaitCond(call, nil, begin, cond)
}

// AwaitCollective is Await of a part of a collective call.
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
	// Conditions may hold at once again and again: what is under way must get on.
	busy := p.open != 0 || !p.eng.Idle()
	if busy {
		p.turn()
	}
	apart := p.policy.Spin > 0 // whoever is waited for has a processor of its own
	if apart {
		wait.Lull(condLull)
	}
	if !cond() {
		b := p.policy.Begin()
		if apart || busy || !p.giveWay(cond, &b) {
			w := p.waiters.take()
			w.kind, w.call, w.cond, w.collective = waitCond, call, cond, c
			p.await(w, &b)
			p.waiters.keep(w)
		}
	}
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

// Board returns the shared flag arrays of the network, nil if it has none. Flags are
// raised in begin of Await; Raised may be called by any goroutine, and in the
// condition of Await.
func (p *Port) Board() ir.Board { return p.board }
