package cenju4

import (
	"math/bits"
	"sync/atomic"
)

// Post is a task's way to send a parcel: it writes the header into its header queue and advances
// the write pointer. lent is the memory to which addresses of the segment Lent refer: the source of
// the parcel or, for a remote read, the target of the data. It is lent until Post returns; by then
// the parcel has been carried out by the Sender and the Receivers.
func (n *NIC) Post(p *Parcel, lent []byte) error { return n.post(p, lent, false) }

func (n *NIC) post(p *Parcel, lent []byte, supervisor bool) error {
	s := &n.under
	s.nic, s.lent, s.sender, s.node = n, lent, n.rank, n.rank
	s.moved, s.cause, s.address, s.refused = 0, nil, 0, nil
	if s.parcel = *p; !supervisor {
		s.parcel = n.enqueue(p)
	}
	s.physical = s.parcel.Flags&Supervisor != 0
	why := s.run(supervisor)
	if s.refused == nil && why != 0 {
		s.refuse(why)
	}
	s.lent, s.source.near, s.target.near = nil, nil, nil
	return s.refused
}

// enqueue writes a header into the task's queue, from which RHM reads it at once: the queue is
// empty before and after.
func (n *NIC) enqueue(p *Parcel) Parcel {
	pointers := n.own.tables[regQueue:][:2:2]
	at := pointers[1]
	slot := n.own.tables[regHeaders+at%QueueParcels*headerWords:][:headerWords:headerWords]
	h := p.Encode()
	copy(slot, h[:])
	atomic.StoreUint64(&pointers[1], at+1)
	atomic.StoreUint64(&pointers[0], at+1)
	return Decode(h)
}

// A service is one parcel in progress: at RHM, at SPM, at the Receivers, and back.
type service struct {
	nic      *NIC
	parcel   Parcel
	physical bool
	lent     []byte

	sender  int
	node    int // the node where it is
	source  memory
	target  memory
	notice  memory
	small   memory // a pattern, or a word
	moved   int
	cause   error
	address Address
	refused error // the first refusal
}

func (s *service) refuse(why Reason) {
	err := s.nic.refuse(Refusal{
		Protocol: s.parcel.Protocol, Node: s.node, Address: s.address, Bytes: int(s.parcel.Length), Moved: s.moved, Reason: why, Cause: s.cause,
	})
	if s.refused == nil {
		s.refused = err
	}
}

// run carries the parcel out. All possible checks are made before the first packet leaves.
func (s *service) run(supervisor bool) Reason {
	n := s.nic
	if n.closed.Load() {
		return Closed
	}
	if why := s.parcel.Check(supervisor); why != 0 {
		return why
	}
	switch s.parcel.Type {
	case Synchronization:
		return s.synchronize()
	case Multicast:
		set, why := n.own.lookUpSet(int(s.parcel.Dest))
		if why != 0 {
			return why
		}
		if why := s.load(); why != 0 {
			return why
		}
		for left := set.Members; left != 0; left &= left - 1 {
			s.deliver(destination{set.Group*GroupNodes + bits.TrailingZeros64(left), taskCid})
		}
	default:
		d, why := n.own.lookUp(int(s.parcel.Dest))
		if why != 0 {
			return why
		}
		if why := n.reaches(d.node); why != 0 {
			return why
		}
		if why := s.load(); why != 0 {
			return why
		}
		s.deliver(d)
	}
	s.count()
	return s.tellSent()
}

// reaches returns 0 if packets can reach a node, or else why not.
func (n *NIC) reaches(rank int) Reason {
	if uint(rank) >= uint(n.ranks) || !nodeOf(n.f, rank).up() {
		return NoNode
	}
	return 0
}

// load translates the addresses that SPM reads and writes at this node: source, notice, and the
// target of an answer.
func (s *service) load() (why Reason) {
	p := &s.parcel
	own := func(a Address, n uint64, to *memory) bool {
		if n > 0 {
			s.address = a
			*to, why = s.locate(s.nic.rank, a, n, 0, true)
		}
		return why == 0
	}
	switch {
	case p.Flags&Inline != 0:
		s.source = inline(p.Words[wordSrc], p.Length)
	case protocols[p.Protocol].writes:
		own(p.data(), uint64(p.Length), &s.source)
	case p.Protocol == RemoteRead:
		own(p.target(), uint64(p.Length), &s.target) // looked up again when the answer arrives
	case p.Protocol == Swap:
		own(Address(p.Words[wordDst2]), wordBytes, &s.target) // looked up again when the answer arrives
	}
	if why == 0 && p.notice() != 0 {
		own(p.notice(), wordBytes, &s.notice)
	}
	if why == 0 {
		s.address = 0
	}
	return why
}

// count counts what has left; a request is one packet. An answer is counted at the node that sends
// it.
func (s *service) count() {
	n, p := s.nic, &s.parcel
	n.count(Parcels, 1)
	if !protocols[p.Protocol].writes {
		n.count(Packets, 1)
		if protocols[p.Protocol].reply {
			n.count(RemoteReads, 1)
		}
		return
	}
	c := s.cost(p)
	n.count(Packets, c.packets)
	n.count(Coherent, c.coherent)
	n.count(NonCoherent, c.nonCoherent)
}

// A cost is the work of SPM for a parcel with data.
type cost struct{ packets, coherent, nonCoherent uint64 }

// cost counts packets and requests. Lent memory has the same place in its page as the destination,
// so a formula does.
func (s *service) cost(p *Parcel) (c cost) {
	if p.Flags&Inline == 0 && p.Protocol.addressed() && (p.data()^p.target())%PageBytes == 0 {
		c.packets, c.coherent = plain(p.target().Offset(), uint64(p.Length))
		return c
	}
	cuts := p.Cutter()
	for first := true; ; first = false {
		cut, ok := cuts.Next(first)
		if !ok {
			return c
		}
		c.packets++
		c.coherent += uint64(cut.Coherent)
		c.nonCoherent += uint64(cut.NonCoherent)
	}
}

// tellSent writes the pattern that reports a parcel as sent, whether or not its destination has
// refused it (cenju4, section 9).
func (s *service) tellSent() Reason {
	if s.parcel.notice() == 0 {
		return 0
	}
	s.nic.count(Notifications, 1)
	s.small = inline(Sent, wordBytes)
	_, why := s.copy(&s.notice, &s.small, wordBytes)
	return why
}
