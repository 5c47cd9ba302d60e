package timed

import (
	"encoding/binary"
	"math/bits"

	"rhinet/nicemu/medium"
)

// Code has this rank execute its next code in a sequence of the network's barrier controllers
// (medium.Controller), with a mark. Its previous code must have been passed. The rank finds Passed
// when all members have executed their codes before this one.
func (n *Node) Code(sequence int, members, base uint64, mark uint32) {
	defer n.mu.Unlock()
	if !n.enter() {
		return
	}
	n.charge(n.cfg.Costs.Code)
	n.post(opCode, n.rank, &[3]uint64{uint64(sequence) | uint64(mark)<<32, members, base}, nil)
}

// keptMarks is the number of places of which marks are kept: a rank is at most one place ahead of
// the others.
const keptMarks = 4

// A sequence is the service's record of the codes of some ranks, with their marks, which travel
// with the codes.
type sequence struct {
	number        int
	members, base uint64
	executed      [64]uint64 // number of codes, by rank
	passed        [64]uint64
	marks         [keptMarks][64]uint32
}

// idle reports whether all members have executed and passed equally many codes.
func (q *sequence) idle() bool {
	first := q.executed[bits.TrailingZeros64(q.members)]
	for left := q.members; left != 0; left &= left - 1 {
		if who := bits.TrailingZeros64(left); q.executed[who] != first || q.passed[who] != first {
			return false
		}
	}
	return true
}

// sequences are all sequences of a job.
type sequences struct {
	net medium.Controller // nil: the network has none
	all []*sequence
}

func (c *sequences) open(s *Service) {
	if net, ok := s.model.(medium.Controller); ok && len(s.ranks) <= 64 && net.Sequences() > 0 { // one bit for each rank
		c.net, s.cfg.Codes = net, net.Sequences()
	}
}

// find returns the index of a sequence, and adds it if it is new. An idle sequence with the same
// number but other members or another base has been replaced, and is overwritten.
func (c *sequences) find(number int, members, base uint64) int {
	at := len(c.all)
	for i, q := range c.all {
		if q.number != number {
			continue
		}
		if q.members == members && q.base == base {
			return i
		}
		if q.idle() {
			at = i
		}
	}
	q := &sequence{number: number, members: members, base: base}
	if at == len(c.all) {
		c.all = append(c.all, q)
	} else {
		c.all[at] = q
	}
	return at
}

// execute has the model carry out a code. A code in a sequence that does not exist, or of a rank
// that is not a member, is ignored.
func (s *Service) execute(p *parcel) {
	number, members, base := int(uint32(p.word[0])), p.word[1], p.word[2]
	if number >= s.cfg.Codes || !s.may(p.from, members) {
		return
	}
	i := s.codes.find(number, members, base)
	q := s.codes.all[i]
	if q.executed[p.from] != q.passed[p.from] {
		return // its previous code is not passed yet
	}
	q.marks[q.executed[p.from]%keptMarks][p.from] = uint32(p.word[0] >> 32)
	q.executed[p.from]++
	s.total.add(0)
	s.ranks[p.from].account.Sent.add(0)
	s.codes.net.Code(p.from, number, members, base, s, actPassed, uint32(i))
}

// may reports whether all members are ranks, and rank is one of them.
func (s *Service) may(rank int, members uint64) bool {
	all := uint64(1)<<(len(s.ranks)%64) - 1
	if len(s.ranks) == 64 {
		all = ^uint64(0)
	}
	return members&^all == 0 && members>>rank&1 != 0
}

// passed tells a member that its code is passed, with the marks of all members at the previous
// place, in their order.
func (s *Service) passed(member int, i uint32) {
	q := s.codes.all[i]
	before := q.passed[member] + keptMarks - 1
	q.passed[member]++
	k := s.parcel()
	p := &s.parcels[k]
	p.buffer = p.buffer[:0]
	for left := q.members; left != 0; left &= left - 1 {
		p.buffer = binary.LittleEndian.AppendUint32(p.buffer, q.marks[before%keptMarks][bits.TrailingZeros64(left)])
	}
	p.record = record{op: opCode, peer: member, word: [3]uint64{uint64(q.number), q.members, q.base}, data: p.buffer}
	s.ranks[member].account.Received.add(0)
	s.find(member, k)
}
