package ring

import (
	"sync/atomic"

	"rhinet/internal/vec"
)

// Look fills p with the next packet of the ring that peer writes and reports whether there is one. The
// packet stays the next one until Take. A corrupt line is left to Poll. Peer and Ring of p are set whenever
// the ring is in the set.
func (s *Set) Look(peer int, p *Packet) bool {
	if s.holds {
		s.Consume()
	}
	m := s.peers[peer]
	if m == nil {
		return false
	}
	p.Peer, p.Ring = peer, m.ring
	w, there := m.seen()
	if !there {
		return false
	}
	s.looked = m
	if w1 := m.line[1]; uint64(uint32(w1)) <= Short {
		m.short(w, w1, p)
		return true
	}
	return m.open(w, p) == nil
}

// seen returns the first word of the line of the next packet and reports whether the packet is there.
func (m *Inlet) seen() (w uint64, there bool) {
	if w = atomic.LoadUint64(&m.line[0]); uint32(w) == m.want {
		return w, true
	}
	m.row = 0
	return w, false
}

// short is open for a packet with a short payload; w and w1 are the first words of the line.
func (m *Inlet) short(w, w1 uint64, p *Packet) {
	n, w2 := uint64(uint32(w1)), m.line[2]
	p.Head[0], p.Head[1], p.Head[2] = w, w1, w2
	p.Data = m.Data(int(n))
	m.usual, m.after, m.fresh = n, m.pos, w+w1+w2
}

// Take consumes the packet that the latest Look found.
func (s *Set) Take() {
	m := s.looked
	m.Consume()
	s.delivered++
	m.last = s.delivered
}

// Advance is Take followed by Look at the same peer, with the same p.
func (s *Set) Advance(p *Packet) bool {
	s.Take()
	m := s.looked
	w, there := m.seen()
	if !there {
		return false
	}
	if w1 := m.line[1]; uint64(uint32(w1)) <= Short {
		m.short(w, w1, p)
		return true
	}
	return m.open(w, p) == nil
}

// Inlet returns the packet ring that peer writes, or nil if none is in the set.
func (s *Set) Inlet(peer int) *Inlet {
	if uint(peer) >= uint(len(s.peers)) {
		return nil
	}
	return s.peers[peer]
}

// Lead returns the first header word of the next packet and reports whether there is a packet that the
// caller may take. There is none while a packet that the set's Poll returned has not been consumed.
func (m *Inlet) Lead() (w0 uint64, there bool) {
	w0 = atomic.LoadUint64(&m.line[0])
	return w0, uint32(w0) == m.want && !m.set.holds
}

// There reports whether the next packet has arrived, for a caller that waits for it. Then Lead shows the
// packet: what the set's Poll returned has been consumed.
func (m *Inlet) There() bool {
	if m.set.holds {
		m.set.Consume()
	}
	return m.Ready()
}

// Rest returns the other header words of the packet that Lead has found. The low half of w1 is the length
// of the payload.
func (m *Inlet) Rest() (w1, w2 uint64) { return m.line[1], m.line[2] }

// From returns the Ring of the packets, see [Packet].
func (m *Inlet) From() uint32 { return m.ring }

// Move copies the payload of that packet, of n bytes, to the beginning of dst and consumes the packet, whose
// first header word is w0. It reports false, and consumes nothing, if no correct writer can have written the
// packet.
func (m *Inlet) Move(dst []byte, n int, w0 uint64) bool {
	if n <= Short {
		vec.Fill(dst, m.Data(n))
		m.Take(n, w0+m.line[1]+m.line[2])
		return true
	}
	var p Packet
	if m.open(w0, &p) != nil || len(p.Data) != n {
		return false
	}
	vec.Copy(dst, p.Data)
	m.set.delivered++
	m.last = m.set.delivered
	m.Consume()
	return true
}

// Take consumes the packet that Lead has found. The packet has n bytes of payload, at most Short; sum is the
// sum of its header words.
func (m *Inlet) Take(n int, sum uint64) {
	m.set.delivered++
	m.last = m.set.delivered
	next(&m.Reader, uint64(n), sum)
}

// PollOthers is Poll that skips the ring that peer writes.
func (s *Set) PollOthers(peer int, p *Packet) (bool, error) {
	s.skip = s.peers[peer]
	ok, err := s.Poll(p)
	s.skip = nil
	return ok, err
}
