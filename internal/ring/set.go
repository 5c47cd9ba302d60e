package ring

import "slices"

// hotRings is how many packet rings every pass looks at. burst is how many packets in a row one ring may
// deliver before the next ring has its turn, and patience how many packets all rings together may deliver,
// hinted at or not, before a pass starts at another ring.
const (
	hotRings = 4
	burst    = 16
	patience = 4 * burst
)

// An Inlet is a packet ring of a set. Its user takes packets from it without a call of the set.
type Inlet struct {
	Reader
	set  *Set
	peer int
	ring uint32
	last uint64 // count of packets that the set had delivered when this ring delivered last
}

// A Set polls one shared ring and any number of packet rings at a cost that does not grow with the number
// of idle rings: a pass looks at the few rings that delivered most recently, at the shared ring, and at one
// of the others in turn. So a packet in an idle ring is found after at most as many passes as there are
// rings, even while others are never empty. A Set belongs to one goroutine.
type Set struct {
	shared *SharedReader // nil once it is corrupt
	hot    [hotRings]*Inlet
	nhot   int
	cold   []*Inlet
	turn   int // index in cold of the next to look at

	step   int // where the next pass starts: a hot ring, nhot: shared, nhot+1: cold
	run    int // packets in a row from the ring at step
	around int // where a pass starts once patience has run out
	since  int // packets since patience ran out, or since a pass found nothing
	sweep  bool
	holds  bool   // the previous Poll returned a packet
	held   *Inlet // the ring of that packet; nil: the shared ring

	looked    *Inlet // the ring in which the latest Look found a packet
	skip      *Inlet // the ring that the current pass skips
	peers     []*Inlet
	removed   []bool // peers whose packets are not delivered; nil until there is one
	delivered uint64
	reads     uint64
}

// NewSet returns a set of the given shared ring and no packet rings, for the
// peers 0 to peers-1.
func NewSet(shared *SharedReader, peers int) *Set {
	return &Set{shared: shared, peers: make([]*Inlet, peers)}
}

// Add adds a packet ring to the set. Its packets carry peer and ring; a peer has at most one ring in a set.
func (s *Set) Add(peer int, ring uint32, r *Reader) {
	if uint(peer) >= uint(len(s.peers)) || s.peers[peer] != nil {
		panic(badPeer)
	}
	m := &Inlet{Reader: *r, set: s, peer: peer, ring: ring, last: s.delivered}
	s.peers[peer] = m
	s.cold = append(s.cold, m)
	s.warm(len(s.cold) - 1)
}

// Remove stops the delivery of packets from a peer: its ring is no longer polled, and its records in the
// shared ring are skipped. If the last packet that Poll returned is from this peer, it is consumed.
func (s *Set) Remove(peer int) {
	s.Consume()
	if s.removed == nil {
		s.removed = make([]bool, len(s.peers))
	}
	s.removed[peer] = true
	if m := s.peers[peer]; m != nil {
		s.drop(s.find(m))
	}
}

// drop takes hot[at] out of the set.
func (s *Set) drop(at int) {
	m := s.hot[at]
	s.nhot--
	s.hot[at] = s.hot[s.nhot]
	s.hot[s.nhot] = nil
	s.peers[m.peer] = nil
	m.line = new(Line) // whoever still has m sees no more packets
	s.step, s.run = 0, 0
}

// Hint makes passes look at peer's ring first.
func (s *Set) Hint(peer int) {
	if uint(peer) >= uint(len(s.peers)) {
		return
	}
	m := s.peers[peer]
	if m == nil || m == s.hot[0] {
		return
	}
	at := s.find(m)
	s.hot[0], s.hot[at] = s.hot[at], s.hot[0]
	s.step = 0
}

// find returns the index of m in hot, and moves it there if necessary.
func (s *Set) find(m *Inlet) int {
	if i := slices.Index(s.hot[:s.nhot], m); i >= 0 {
		return i
	}
	return s.warm(slices.Index(s.cold, m))
}

// warm moves cold[i] to hot, where it replaces the ring that has been idle longest, and returns its index
// there.
func (s *Set) warm(i int) int {
	m := s.cold[i]
	if s.nhot < hotRings {
		s.dropCold(i)
		s.hot[s.nhot] = m
		s.nhot++
		return s.nhot - 1
	}
	at := 0
	for j := 1; j < hotRings; j++ {
		if s.hot[j].last < s.hot[at].last {
			at = j
		}
	}
	s.hot[at], s.cold[i] = m, s.hot[at]
	return at
}

func (s *Set) dropCold(i int) {
	last := len(s.cold) - 1
	s.cold[i] = s.cold[last]
	s.cold[last] = nil
	s.cold = s.cold[:last]
}

// Audit compares all rings with the accounts of their writers, which packets and records return, and calls
// bad for each damaged ring with its writer: -1 for the shared ring if the source is not known. Such a ring
// is not polled again.
func (s *Set) Audit(packets, records func(peer int) Account, bad func(peer int, ring uint32, err error)) {
	s.Consume()
	for peer, m := range s.peers {
		if m == nil {
			continue
		}
		if err := m.Audit(packets(peer)); err != nil {
			s.drop(s.find(m))
			bad(peer, m.ring, err)
		}
	}
	if s.shared == nil {
		return
	}
	if from, err := s.shared.Audit(records); err != nil {
		s.shared = nil
		bad(from, Everybody, err)
	}
}

// Sweep makes the next Poll that would report nothing look at every ring first. A caller that is about to
// sleep calls it after announcing so.
func (s *Set) Sweep() { s.sweep = true }

// Reads returns how many lines Poll has looked at, as a measure of its cost.
func (s *Set) Reads() uint64 { return s.reads }

// Poll consumes the packet that it returned before, fills p with the next one
// and reports whether there was one. On ErrCorrupt, reported once, p.Peer is
// the writer (-1 if unknown) and p.Ring the ring, which is not polled again.
func (s *Set) Poll(p *Packet) (bool, error) {
	s.Consume()
	step := s.step
	if s.since >= patience {
		s.since = 0
		if s.around++; s.around > s.nhot+1 {
			s.around = 0
		}
		step = s.around
	}
	for range s.nhot + 2 {
		switch {
		case step < s.nhot:
			if m := s.hot[step]; m.Ready() && m != s.skip {
				s.reads++
				return s.take(step, p)
			}
		case step == s.nhot:
			if s.shared != nil && s.shared.Ready() {
				if ok, err := s.takeShared(step, p); ok || err != nil {
					return ok, err
				}
			}
		case len(s.cold) > 0:
			if s.turn++; s.turn >= len(s.cold) {
				s.turn = 0
			}
			if m := s.cold[s.turn]; m.Ready() && m != s.skip {
				return s.take(s.warm(s.turn), p)
			}
		}
		if step++; step > s.nhot+1 {
			step = 0
		}
	}
	s.reads += uint64(s.nhot + 1 + min(1, len(s.cold)))
	s.step, s.run, s.since = 0, 0, 0
	if s.sweep {
		return s.pollAll(p)
	}
	return false, nil
}

// Glance is [Reader.Glance] for the first ring of a pass, for a caller that has nothing to do but look there
// between two passes; it is false if there is no such ring. The Poll before must have found nothing.
func (s *Set) Glance(looks int) (there bool) {
	return s.nhot > 0 && s.hot[0].Glance(looks)
}

// Expect is [Reader.Expect] for the ring of the last hint.
func (s *Set) Expect(most int) (apart bool) {
	s.Consume()
	return s.nhot > 0 && s.hot[0].Expect(most)
}

// Consume frees the space of the last packet that Poll returned, unless that has happened already.
func (s *Set) Consume() {
	if !s.holds {
		return
	}
	if s.holds = false; s.held != nil {
		s.held.Consume()
		s.held = nil
	} else {
		s.shared.Consume()
	}
}

// pollAll looks at the rings that a pass leaves out.
func (s *Set) pollAll(p *Packet) (bool, error) {
	s.reads += uint64(len(s.cold))
	for i, m := range s.cold {
		if m.Ready() && m != s.skip {
			return s.take(s.warm(i), p)
		}
	}
	s.sweep = false
	return false, nil
}

// count keeps the next pass at step for up to burst packets.
func (s *Set) count(step int) {
	s.delivered++
	s.since++
	if step != s.step {
		s.step, s.run = step, 0
	}
	if s.run++; s.run >= burst {
		s.run, s.step = 0, step+1 // after the shared ring comes the turn of the cold rings
	}
}

// take reads the packet that is ready in hot[at].
func (s *Set) take(at int, p *Packet) (bool, error) {
	m := s.hot[at]
	p.Peer, p.Ring = m.peer, m.ring
	ok, err := m.Poll(p)
	if err != nil {
		s.drop(at)
		return false, err
	}
	s.holds, s.held = true, m
	s.count(at)
	m.last = s.delivered
	return ok, nil
}

func (s *Set) takeShared(step int, p *Packet) (bool, error) {
	p.Ring = Everybody
	ok, err := s.shared.Poll(p)
	for ok && s.removed != nil && s.removed[p.Peer] {
		s.shared.Consume()
		ok, err = s.shared.Poll(p)
	}
	if err != nil {
		s.shared = nil
		return false, err
	}
	if ok {
		s.holds = true
		s.count(step)
	}
	return ok, nil
}
