package port

import "rhinet/llc"

// Probe reports whether a message waits that a receive with these arguments would take, and describes it.
func (p *Port) Probe(ctx uint16, src, tag int) (llc.Status, bool) {
	return p.probe("", ctx, src, tag, false, nil)
}

// ProbeUntil is Probe that waits for a message, under the name call in reports, until over holds, which is called as
// the condition of Await is; over may be nil. It finds none then, or if the port is closed or a peer was lost (see
// Failure).
func (p *Port) ProbeUntil(call string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool) {
	return p.probe(call, ctx, src, tag, true, over)
}

func (p *Port) probe(call string, ctx uint16, src, tag int, block bool, over func() bool) (llc.Status, bool) {
	p.lock()
	if p.is(drained) {
		p.gate.leave()
		return llc.Status{}, false
	}
	st, ok := p.eng.Probe(ctx, src, tag)
	for i := 0; !ok && i < burst && p.peek(); i++ {
		st, ok = p.eng.Probe(ctx, src, tag)
	}
	if ok || !block {
		p.miss(nil, ok)
		return st, ok
	}
	w := p.waiters.take()
	w.kind, w.call, w.context, w.src, w.tag, w.cond = waitProbe, call, ctx, src, tag, over
	p.nic.Hint(src)
	b := p.policy.Begin()
	for !ok && !p.is(closed) && !w.expired.Load() && !w.met { // another goroutine may receive what the wait ended for
		p.await(w, &b)
		st, ok = p.eng.Probe(ctx, src, tag)
	}
	p.waiters.keep(w)
	p.gate.leave()
	return st, ok
}

// Match is Probe without block, and takes the message out of reach of other receives: see llc.Engine.
func (p *Port) Match(ctx uint16, src, tag int, as uint16, handle int) (st llc.Status, ok bool) {
	p.lock()
	if !p.is(drained) {
		st, ok = p.eng.Match(ctx, src, tag, as, handle)
		for i := 0; !ok && i < burst && p.peek(); i++ {
			st, ok = p.eng.Match(ctx, src, tag, as, handle)
		}
	}
	p.miss(nil, ok)
	return st, ok
}
