package port

import (
	"errors"
	"time"

	"rhinet/llc"
)

// What a port does about peers that are gone and memory that is damaged. A packet that no correct peer sends
// ends the use of that peer: more may have been overwritten, and lost, than is seen. From then on no wait
// that could depend on it lasts for ever: requests that name the peer fail, receives from AnyPeer fail, and
// other waits end when they come to sleep. [Port.Failure] says why.

// Failure returns why peers have been lost, or nil if none has: then a call of Probe or Await that ended
// without a result ended because of Close. The functions begin and cond of Await must not call it.
func (p *Port) Failure() error {
	p.gate.enter()
	defer p.gate.leave()
	return p.failed
}

// mistaken handles an error of Step.
func (p *Port) mistaken(err error) {
	if p.trouble != nil {
		p.trouble(err)
	}
	var wrong *llc.ProtocolError
	if !errors.As(err, &wrong) || !wrong.Lost {
		return
	}
	self := p.nic.Self()
	for peer := range p.nic.Peers() {
		// A packet of this peer itself, or of none, may come from any peer.
		if peer == wrong.Peer || wrong.Peer == self || uint(wrong.Peer) >= uint(p.nic.Peers()) {
			p.eng.Lose(peer, err)
			p.doubt(peer)
		}
	}
}

// doubt notes that a peer has ended.
func (p *Port) doubt(peer int) {
	err := p.eng.End(peer)
	if err != nil && p.died != nil {
		p.died(peer, err)
		return
	}
	if p.failed != nil || err == nil {
		return
	}
	p.failed, p.lostAt = err, time.Since(epoch)
	p.eng.Doubt(err)
	for w := p.waiters.first; w != nil; {
		next := w.next
		if w.kind >= waitProbe {
			w.expired.Store(true)
			p.wake(w)
		}
		w = next
	}
}

// hopeless reports whether the wait of w, which has been in vain for some time, may never end, and ends it if
// so.
func (p *Port) hopeless(w *waiter) bool {
	if p.failed == nil || w.kind < waitProbe {
		return false
	}
	w.expired.Store(true)
	return true
}

// detectFailures has the network interface look for peers that have failed, if the port survives that.
func (p *Port) detectFailures() {
	if p.detector != nil {
		p.detector.DetectFailures()
	}
}

// audit is called by waits that have slept. From time to time it has the network interface look for damage
// that a wait would never see. A port that has lost a peer and waits on for others gives those up too after a
// while: they may wait for the lost peer, which does not know it.
func (p *Port) audit() {
	p.detectFailures()
	if p.auditor == nil && p.failed == nil {
		return
	}
	now := time.Since(epoch)
	if p.auditor != nil && now-p.audited >= auditPause {
		p.audited = now
		p.auditor.Audit()
	}
	if p.failed != nil && now-p.lostAt >= giveUp {
		for peer := range p.nic.Peers() {
			p.eng.Lose(peer, p.failed)
		}
		p.stirAll(true)
	}
}
