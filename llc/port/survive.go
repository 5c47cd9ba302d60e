package port

import "rhinet/llc/ir"

// Survive has the end of a peer end only the requests that name it: receives from AnyPeer and other waits go
// on, and f is called once for each peer that ends. f is called with the port's lock held and must not call
// the port. Survive reports whether the network reports ends at all; without that it changes nothing.
func (p *Port) Survive(f func(peer int, why error)) bool {
	p.lock()
	defer p.gate.leave()
	m := ir.AbilitiesOf(p.nic).FailureDetector
	if m == nil {
		return false
	}
	p.detector, p.died = m, f
	return true
}

// MarkFailed tells all peers that one has ended, in place of a launcher.
func (p *Port) MarkFailed(peer int) { ir.AbilitiesOf(p.nic).FailureDetector.MarkFailed(peer) }
