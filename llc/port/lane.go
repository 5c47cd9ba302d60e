package port

import (
	"time"

	"rhinet/internal/wait"
	"rhinet/llc"
)

// The ready lane of the engine, driven: blocking calls whose message is one
// packet, and which nothing else concerns, pass neither a command nor an event
// and post no receive. See llc/lane.go.

// alone reports whether a receive may go by the lane: nobody is in it, for whom p.plain
// must stay as it is, nobody else polls, and nobody would be left waiting.
func (p *Port) alone() bool {
	return !p.is(polling|asleep|closed|drained) && p.waiters.first == nil
}

// take receives p.plain by the lane and reports whether it did. It waits for the
// packet as long as finish would before it sleeps: what arrives elsewhere is
// taken meanwhile, what arrives from the peer stays where it is.
func (p *Port) take() bool {
	r := &p.plain
	if p.lull.now != 0 || !p.express.Look(r.Peer, &p.view) {
		return p.expect(r)
	}
	p.lull.instant++
	if p.lull.waits++; p.lull.waits == lullWaits {
		p.lull.choose(time.Since(epoch))
		return false // others must not wait for a stream to end
	}
	if !p.eng.Accept(r, &p.view) {
		p.shun = shunned
		return false
	}
	p.express.Take()
	return true
}

// expect is take where the packet is not there yet.
func (p *Port) expect(r *llc.Request) (ok bool) {
	if !p.eng.Vacant(r.Context, r.Peer) {
		p.shun = shunned
		return false
	}
	p.nic.Hint(r.Peer)
	p.set(polling)
	if wait.Lull(p.lull.now); p.lull.now > 0 {
		p.lull.apart = p.aimer.Expect()
	}
	b := p.policy.Begin()
	looks := 0
	for !p.express.Look(r.Peer, &p.view) {
		looks++
		if p.digest(p.express.PollOthers(r.Peer, &p.ev)) && p.news() {
			b.Reset()
		}
		if p.gate.wanted.Load() != 0 || p.is(woke) {
			p.cede()
		}
		if b.Pause() || p.is(closed) || !p.eng.Vacant(r.Context, r.Peer) {
			p.clear(polling)
			return false
		}
		p.glance()
	}
	p.clear(polling)
	if p.aimer != nil {
		p.lull.adapt(looks)
	}
	if ok = p.eng.Accept(r, &p.view); ok {
		p.express.Take()
	} else {
		p.shun = shunned
	}
	if p.waiters.first != nil {
		p.passOn()
	}
	p.handOver()
	return ok
}
