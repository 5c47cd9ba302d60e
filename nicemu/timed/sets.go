package timed

import (
	"errors"
	"math/bits"
	"sync/atomic"

	"rhinet/nicemu/fabric"
	"rhinet/nicemu/vtime"
)

// Sets of ranks to which the network replicates packets, and whose packets it collects
// (medium.Switch). A rank is one of 64 bits.

// wordsOfSets is the number of words with a bit for each set.
const wordsOfSets = 2

// ErrNoSet reports that all set numbers are in use, or that the network has no sets.
var ErrNoSet = errors.New("timed: the network has no further set")

// ReserveSet reserves an unused set number. The number does not influence the times of events.
func (n *Node) ReserveSet() (int, error) {
	w := n.sets()
	for i := range n.cfg.Sets {
		word, bit := &w[i/64], uint64(1)<<(i%64)
		if atomic.OrUint64(word, bit)&bit == 0 {
			return i, nil
		}
	}
	return -1, ErrNoSet
}

// FreeSet gives a number back.
func (n *Node) FreeSet(set int) { atomic.AndUint64(&n.sets()[set/64], ^(uint64(1) << (set % 64))) }

func (n *Node) sets() []uint64 { return n.fabric.Words(0, fabric.Rings)[wordSets:][:wordsOfSets] }

// Multicast sends a packet to the members of a set, including this rank; each receives it with its
// set and place. It uses no credits of the members.
func (n *Node) Multicast(set int, members uint64, place int, data []byte) {
	defer n.mu.Unlock()
	if !n.enter() {
		return
	}
	c := &n.cfg.Costs
	n.charge(c.Send.Of(len(data), false))
	n.post(opSpread, n.rank, &[3]uint64{uint64(set), uint64(place), members}, data)
	n.charge(c.Post)
}

// Meet says that this rank has arrived. All members receive Met when all have, after everything
// that they have multicast before.
func (n *Node) Meet(set int, members uint64) {
	defer n.mu.Unlock()
	if !n.enter() {
		return
	}
	n.charge(n.cfg.Costs.Send.Of(0, false))
	n.post(opMeet, n.rank, &[3]uint64{uint64(set), 0, members}, nil)
}

// spreadCost returns the remaining cost at a member for a packet that is already in its memory: the
// copy.
func (n *Node) spreadCost(from, bytes int) vtime.Time {
	if from == n.rank {
		return 0
	}
	return n.cfg.Costs.Receive.PerByte.Time(bytes)
}

// together hands a packet for a set to the model. A packet for a set that does not exist, or of a
// rank that is not a member, is dropped.
func (s *Service) together(i uint32, p *parcel) {
	set, members := p.word[0], p.word[2]
	if set >= uint64(s.cfg.Sets) || !s.may(p.from, members) {
		s.release(i)
		return
	}
	s.total.add(p.bytes)
	s.ranks[p.from].account.Sent.add(p.bytes)
	if p.op == opMeet {
		s.sets.Meet(p.from, int(set), members, s, actMet)
		s.release(i)
		return
	}
	p.open = bits.OnesCount64(members)
	s.sets.Multicast(p.from, int(set), members, p.bytes, s, actSpread, i)
}

// spread delivers a packet to a member.
func (s *Service) spread(member int, i uint32) {
	k := s.parcel()
	p, to := &s.parcels[i], &s.parcels[k]
	to.buffer = append(to.buffer[:0], p.data...)
	to.record = record{op: opSpread, peer: p.from, word: p.word, data: to.buffer}
	s.ranks[member].account.Received.add(p.bytes)
	if p.open--; p.open == 0 {
		s.release(i)
	}
	s.find(member, k)
}

// met tells a member that all members of a set have arrived.
func (s *Service) met(member int, set uint32) {
	k := s.parcel()
	s.parcels[k].record = record{op: opMeet, peer: member, word: [3]uint64{uint64(set)}}
	s.ranks[member].account.Received.add(0)
	s.find(member, k)
}
