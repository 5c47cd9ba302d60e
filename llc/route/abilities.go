package route

import "rhinet/llc/ir"

// An express is that of the near NIC, which has rings.
type express struct{ *Translator }

// Place is that of the near NIC.
func (x express) Place(peer int, slot, pos uint64, head *[3]uint64, data []byte) {
	x.express.Place(peer, slot, pos, head, data)
}

// Look finds nothing from peers on other hosts, which have no rings.
func (x express) Look(peer int, v *ir.View) bool { return x.express.Look(peer, v) }

// Take is that of the near NIC.
func (x express) Take() { x.express.Take() }

// Advance is that of the near NIC.
func (x express) Advance(v *ir.View) bool { return x.express.Advance(v) }

// PollOthers is Poll, except that it leaves out the packet ring that peer writes.
func (x express) PollOthers(peer int, ev *ir.Event) bool { return x.poll(ev, peer) }

// Consumed is that of the near NIC.
func (x express) Consumed(peer int) (slot, pos uint64, ok bool) { return x.express.Consumed(peer) }

// An aimer is that of the near NIC while the caller waits for a peer on this host.
type aimer struct{ *Translator }

// Glance cannot say whether a packet of a peer on another host has arrived.
func (a aimer) Glance(looks int) (there bool) { return !a.hot && a.aimer.Glance(looks) }

// Expect is that of the near NIC.
func (a aimer) Expect(most int) (apart bool) { return a.aimer.Expect(most) }

// failureDetectors are those of both NICs, which look at one memory: each reports the ends of its peers.
type failureDetectors struct{ near, far ir.FailureDetector }

// MarkFailed tells all peers on this host that one has ended.
func (m failureDetectors) MarkFailed(peer int) { m.near.MarkFailed(peer) }

// DetectFailures reports whether peers have failed since the last call.
func (m failureDetectors) DetectFailures() bool {
	near, far := m.near.DetectFailures(), m.far.DetectFailures()
	return near || far
}
