package syncctl

import "rhinet/nicemu/vtime"

// Event links: a packet occupies a link for the time of its bits, and is at the next node one hop
// time after it started. Each link keeps the order of packets, so packets between two nodes stay in
// order (our choice: lossless, first in, first out, dimension order).

// send sends a packet from an RP, and returns when it starts. hops is the length of the chain of
// packets that led to it.
func (m *Machine) send(at int, p Packet, to, hops int) vtime.Time {
	p.Source, p.Destination = uint16(at), uint16(to)
	p.Status |= uint32(hops) << 8
	if to == at { // no packet: the RP's own memory
		m.deal(at, p)
		return m.k.Now()
	}
	m.sent++
	n := &m.nodes[at]
	start := max(m.k.Now(), n.sends)
	n.sends = start + m.set.serial
	m.hop(at, start, p)
	return start
}

// hop sends a packet over the link to its next node.
func (m *Machine) hop(at int, from vtime.Time, p Packet) {
	d := m.torus.Next(at, int(p.Destination))
	link := &m.nodes[at].links[d]
	start := max(from, *link)
	*link = start + m.set.serial
	p.Status += 1 << 8
	m.at(start+m.set.hop, opForward, job{at: m.torus.Neighbour(at, d), p: p})
}

// arrived ends a hop.
func (m *Machine) arrived(j *job) {
	if j.at != int(j.p.Destination) {
		m.hop(j.at, m.k.Now(), j.p)
		return
	}
	m.deal(j.at, j.p)
}

// deal has the RP process a packet after the earlier ones.
func (m *Machine) deal(at int, p Packet) {
	n := &m.nodes[at]
	n.busy = max(m.k.Now(), n.busy) + m.set.event
	m.at(n.busy, opHandle, job{at: at, p: p})
}

// hops returns the length of the chain of packets that ends with this one.
func (p *Packet) hops() int { return int(p.Status >> 8) }

// status returns the status of a command that a packet carries.
func (p *Packet) status() Status { return Status(p.Status) }
