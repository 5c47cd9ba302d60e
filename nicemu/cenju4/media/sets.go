package media

import (
	"math/bits"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

var _ medium.Switch = (*Medium)(nil)

// A set is a synchronization ID with its members. A synchronization packet does not overtake the
// parcels that its node has sent before (our choice: it takes the same path), so when a member
// learns of a synchronization, the parcels that belong to it have arrived too.
type set struct {
	number  int
	members uint64
	nodes   []int
	latest  [2]vtime.Time               // when the last member has arrived at an even or odd synchronization
	came    [cenju4.GroupNodes]uint32   // synchronizations, by node: packets sent,
	over    [cenju4.GroupNodes]uint32   // and packets received
	due     [cenju4.GroupNodes][2]int32 // parcels in flight to a node that belong to an even or odd synchronization
	held    [cenju4.GroupNodes]bool     // the synchronization packet has arrived before parcels that belong to it
	to      vtime.Actor
	op      int
}

// Sets returns the number of synchronization IDs, which only systems of at most 64 nodes have.
func (m *Medium) Sets() int {
	if m.ranks > cenju4.GroupNodes {
		return 0
	}
	return cenju4.Sids
}

// set returns a set. A set with other members replaces the one with the same number.
func (m *Medium) set(number int, members uint64) *set {
	if m.sets == nil {
		m.sets = make([]set, cenju4.Sids)
	}
	s := &m.sets[number]
	if s.members != members {
		*s = set{number: number, members: members}
		for left := members; left != 0; left &= left - 1 {
			s.nodes = append(s.nodes, bits.TrailingZeros64(left))
		}
	}
	return s
}

// Multicast posts one parcel of remote DMA to all members.
func (m *Medium) Multicast(src, number int, members uint64, bytes int, to vtime.Actor, op int, arg uint32) {
	s := m.set(number, members)
	turn := s.came[src] % 2
	for _, node := range s.nodes {
		s.due[node][turn]++
	}
	tag := m.begin(job{kind: spread, src: src, set: s, turn: turn, open: len(s.nodes), to: to, op: op, arg: uint64(arg)})
	m.send(timed.Parcel{From: src, To: s.nodes, Protocol: cenju4.RemoteDMA, Bytes: bytes, Tag: tag})
}

// landed handles the arrival of a multicast's parcel at a node.
func (m *Medium) landed(node, tag int) {
	j := m.jobs.At(uint64(tag))
	s := j.set
	s.due[node][j.turn]--
	to, op, arg := j.to, j.op, uint32(j.arg)
	if j.open--; j.open == 0 {
		m.jobs.Take(uint64(tag))
	}
	to.Act(op, medium.AtMember(node, arg))
	if s.held[node] && s.due[node][s.over[node]%2] == 0 {
		m.pass(s, node)
	}
}

// Meet posts a synchronization packet.
func (m *Medium) Meet(src, number int, members uint64, to vtime.Actor, op int) {
	s := m.set(number, members)
	s.latest[s.came[src]%2], s.to, s.op = m.Now(), to, op
	s.came[src]++
	m.send(timed.Parcel{From: src, To: s.nodes, Sync: true, Sid: number})
}

// met handles the arrival of a synchronization packet at a node.
func (m *Medium) met(node, sid int) {
	s := &m.sets[sid]
	if s.due[node][s.over[node]%2] > 0 {
		s.held[node] = true
		return
	}
	m.pass(s, node)
}

// pass tells a node of a synchronization, but not sooner than it could learn of anything else.
func (m *Medium) pass(s *set, node int) {
	came := s.latest[s.over[node]%2]
	s.held[node] = false
	s.over[node]++
	m.At(max(m.Now(), came+m.Lookahead()), s.to, s.op, medium.AtMember(node, uint32(s.number)))
}
