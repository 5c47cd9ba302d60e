package ring

import "sync/atomic"

// Look fills p with the next packet of the ring that peer writes and reports
// whether there is one. It stays until Take. A line that is corrupt is left to
// Poll. Peer and Ring of p are set whenever the ring is in the set.
func (s *Set) Look(peer int, p *Packet) bool {
	if s.held != nil || s.heldSR {
		s.Consume()
	}
	m := s.peers[peer]
	if m == nil {
		return false
	}
	w := atomic.LoadUint64(&m.line[0])
	if uint32(w) != m.want {
		return false
	}
	s.looked = m
	p.Peer, p.Ring = peer, m.ring
	if n := uint64(uint32(m.line[1])); n <= Inline {
		p.Head[0], p.Head[1], p.Head[2] = w, m.line[1], m.line[2]
		p.Data = inline(m.line)[:n:n]
		m.usual, m.after, m.fresh = n, m.pos, w+m.line[1]+m.line[2]
		return true
	}
	ok, err := m.open(w, p)
	return ok && err == nil
}

// Take consumes the packet that the latest Look found.
func (s *Set) Take() {
	m := s.looked
	m.Consume()
	s.delivered++
	m.last = s.delivered
}

// PollOthers is Poll that leaves the ring that peer writes alone.
func (s *Set) PollOthers(peer int, p *Packet) (bool, error) {
	s.skip = s.peers[peer]
	ok, err := s.Poll(p)
	s.skip = nil
	return ok, err
}
