package port

import (
	"context"
	"slices"

	"rhinet/llc"
)

// WaitAny returns the index of a request in rs that is complete, and waits for one, under the name call in reports. It
// returns -1 when over holds, which is called as the condition of Await is, and none of rs is complete; over may be nil.
// On a closed port it returns 0, and that request has ErrClosed.
func (p *Port) WaitAny(call string, rs []*llc.Request, over func() bool) int {
	p.lock()
	defer p.gate.leave()
	i := slices.IndexFunc(rs, (*llc.Request).Done)
	if i >= 0 {
		return i
	}
	if p.is(closed) {
		closedOff(rs[0])
		return 0
	}
	w := p.waiters.take()
	w.kind, w.call, w.rs, w.seen, w.cond = waitAny, call, rs, p.eng.Ended(), over
	p.nic.Hint(llc.AnyPeer)
	b := p.policy.Begin()
	p.await(w, &b)
	met := w.met
	p.waiters.keep(w)
	if i = slices.IndexFunc(rs, (*llc.Request).Done); i < 0 && !met {
		i = 0
		closedOff(rs[0])
	}
	return i
}

// WaitContext is Wait, but returns the cause when ctx ends first. r is then still under way and its buffer in
// use: Cancel takes back a receive that has not been matched, and any other request must be waited for. If
// both have ended, the complete request counts.
func (p *Port) WaitContext(ctx context.Context, r *llc.Request) error {
	p.lock()
	defer p.gate.leave()
	if r.Done() {
		return nil
	}
	if p.is(closed) {
		closedOff(r)
		return ErrClosed
	}
	w := p.waiters.take()
	w.kind, w.call, w.r = waitRequest, "Wait", r
	stop := context.AfterFunc(ctx, func() { p.expire(w, r) })
	if ctx.Err() != nil {
		w.expired.Store(true)
	} else {
		p.nic.Hint(r.Peer)
	}
	b := p.policy.Begin()
	p.await(w, &b)
	if stop() {
		p.waiters.keep(w)
	} else {
		p.waiters.drop(w) // expire may still hold it
	}
	switch {
	case r.Done():
		return nil
	case p.is(closed):
		closedOff(r)
		return ErrClosed
	}
	return context.Cause(ctx)
}

// expire ends the wait of w for r.
func (p *Port) expire(w *waiter, r *llc.Request) {
	w.expired.Store(true)
	p.lock()
	if w.listed && w.r == r {
		p.wake(w)
	}
	p.gate.leave()
}
