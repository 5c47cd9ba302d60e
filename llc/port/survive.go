package port

import "rhinet/llc/ir"

// Survive has the end of a peer end nothing but the requests that name it:
// receives from anyone and other waits go on, and f is told of each peer, once.
// f is called with the port's lock held and must not call the port. It reports
// whether the network tells of ends at all; without that nothing changes.
func (p *Port) Survive(f func(peer int, why error)) bool {
	p.lock()
	defer p.gate.leave()
	m := ir.AbilitiesOf(p.nic).Mourner
	if m == nil {
		return false
	}
	p.mourner, p.died = m, f
	return true
}

// Bury tells all peers that one has ended, in the place of a launcher.
func (p *Port) Bury(peer int) { ir.AbilitiesOf(p.nic).Mourner.Bury(peer) }
