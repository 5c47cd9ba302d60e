package port

// Perform calls f as Await calls its begin, and does not wait. f is called with the port's lock held: it must
// be short and must not call the port. A closed port does not call it. Perform makes progress on what is
// under way, since it may be all that a rank calls.
func (p *Port) Perform(f func()) {
	p.lock()
	if !p.is(closed) {
		f()
		if p.busy() {
			p.turn()
		}
	}
	p.gate.leave()
}
