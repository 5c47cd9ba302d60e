package cenju4

import (
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// Requests with an answer: the Receiver writes the header of a parcel into the remote-read header
// queue of its node, whose Sender sends it (cenju4, section 6.2). The queue never overflows, since
// each Sender limits its requests in flight.

// ReplyLimit returns how many reply-generating packets each of the given number of nodes may have
// in flight, so that all of them together fit one node's remote-read header queue.
func ReplyLimit(nodes int) int { return min(max(ReplyParcels/max(nodes, 1), 1), Rrids) }

// reply carries out a remote read, swap or compare and swap, and its answer.
func (s *service) reply(rank int, t node) Reason {
	p := &s.parcel
	answer := Parcel{Protocol: RemoteDMA, Rrid: p.Rrid, Dest: uint16(s.nic.rank), Length: p.Length}
	var why Reason
	switch p.Protocol {
	case RemoteRead:
		answer.Flags = p.Flags & (NotOptimised | Supervisor)
		answer.Words = [3]uint64{p.Words[wordSrc], p.Words[wordDst]}
		why = s.remoteRead(rank, t, &answer)
	case Swap:
		var old uint64
		why = s.word(rank, Address(p.Words[wordDst1]), func(b []byte) { old = exchange(b, p.Words[wordIm]) })
		answer.Flags, answer.Words = Inline|p.Flags&Supervisor, [3]uint64{old, p.Words[wordDst2]}
		if why == 0 {
			why = s.swapped(t, &answer)
		}
	default:
		var old uint64
		why = s.word(rank, Address(p.Words[wordDst1]), func(b []byte) { old = dma.CompareSwap(b, p.Words[wordIm], p.Words[wordDst2]) })
		if why == 0 {
			answer.Protocol, answer.Words = CompSwap, [3]uint64{old}
			t.answer(&answer, cost{packets: 1})
			s.nic.own.setNotice(int(p.Rrid), Notice{old, p.Outcome(old)})
		}
	}
	return why
}

// Outcome returns the notice of a compare and swap that has read old.
func (p *Parcel) Outcome(old uint64) NoticeKind {
	if old == p.Words[wordIm] {
		return Compared
	}
	return Differed
}

// remoteRead carries out a remote read: the other node answers with a remote DMA.
func (s *service) remoteRead(rank int, t node, answer *Parcel) Reason {
	p := &s.parcel
	s.address = p.data()
	var why Reason
	if s.source, why = s.locate(rank, p.data(), uint64(p.Length), MayRead, false); why != 0 {
		return why
	}
	if s.target, why = s.locate(s.nic.rank, p.target(), uint64(p.Length), 0, true); why != 0 {
		return why
	}
	if why := s.transfer(&s.target, &s.source); why != 0 {
		return why
	}
	t.answer(answer, s.cost(answer))
	s.nic.own.setNotice(int(p.Rrid), Notice{Sent, ReadDone})
	return 0
}

// swapped writes the old value at the requester.
func (s *service) swapped(t node, answer *Parcel) (why Reason) {
	if s.target, why = s.locate(s.nic.rank, Address(answer.Words[wordDst]), wordBytes, 0, true); why != 0 {
		return why
	}
	t.answer(answer, cost{packets: 1})
	s.small = inline(answer.Words[wordSrc], wordBytes)
	_, why = s.copy(&s.target, &s.small, wordBytes)
	return why
}

// pushReply writes the header of a reply to the remote-read header queue, and returns its number
// there.
func (t node) pushReply(p *Parcel) uint64 {
	at := atomic.AddUint64(&t.public[pubReply], 1) - 1
	for i, w := range p.Encode() {
		atomic.StoreUint64(&t.public[pubReplies+int(at%ReplyParcels)*headerWords+i], w)
	}
	atomic.AddUint64(&t.public[pubReply+1], 1)
	return at
}

// answer queues a reply and counts it as sent.
func (t node) answer(p *Parcel, c cost) {
	t.pushReply(p)
	sent := t.public[pubSent:]
	atomic.AddUint64(&sent[Parcels], 1)
	atomic.AddUint64(&sent[Packets], c.packets)
	atomic.AddUint64(&sent[Coherent], c.coherent)
	atomic.AddUint64(&sent[NonCoherent], c.nonCoherent)
}

// exchange stores now in a word and returns its old value.
func exchange(b []byte, now uint64) (old uint64) {
	for {
		seen := dma.CompareSwap(b, old, now)
		if seen == old {
			return old
		}
		old = seen
	}
}
