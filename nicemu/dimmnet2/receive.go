package dimmnet2

import (
	"encoding/binary"
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
)

// deliver does the work of the Receive Controller at a packet's receiver (section 8.1). It returns
// the reason of a refusal, and the rank whose controller refused.
func (n *NIC) deliver(p *Packet) (rank int, why Reason) {
	rank = p.rank()
	if p.Process >= Processes || rank >= n.f.Ranks() {
		return n.rank, NoNode
	}
	t := n.share(rank)
	if t.group() != groupWord(p.Group) {
		return rank, WrongGroup
	}
	switch p.Op {
	case PacketWrite:
		return rank, t.write(rank, p)
	case PacketIPUSH:
		return rank, t.ipush(p, &n.sent[rank])
	case PacketRead:
		return n.answer(rank, t, p)
	case PacketScatter:
		return rank, t.scatter(rank, p, &n.asked)
	}
	return rank, NoOperation
}

// place returns the memory of a share that a packet names, and the write right that it needs, or
// nil if it needs none.
func (s *share) place(rank int, m Memory, at uint32, size int) (mem []byte, right *uint64, ok bool) {
	switch m {
	case InDIMM:
		mem, ok = s.dimm(rank, uint64(at), size)
		return mem, nil, ok
	case InLLCM:
		if at < BuffersAt || at > BuffersEnd || size > BuffersEnd-int(at) {
			return nil, nil, false
		}
		return s.llcm[at:][:size], nil, true
	case InPW:
		if at >= prefetched || int(at)%WindowBytes+size > WindowBytes {
			return nil, nil, false
		}
		return s.window[at:][:size], s.right(int(at) / WindowBytes), true
	}
	return nil, nil, false
}

// write stores the data and notifies the host (section 8.1, steps 4 to 6). If there is no room for
// the packet's status, it is refused before its data is written (our choice).
func (s *share) write(rank int, p *Packet) Reason {
	mem, right, ok := s.place(rank, p.Memory, p.Address, len(p.Data))
	if !ok {
		return Outside
	}
	if right != nil {
		if !acquire(right, p.From) {
			return Held
		}
		defer release(right)
	}
	if p.Quiet {
		dma.Write(mem, p.Data)
		return 0
	}
	if why := s.beginStatus(p.From); why != 0 {
		return why
	}
	dma.Write(mem, p.Data)
	s.endStatus(p)
	return 0
}

// scatter stores the elements of the data in SO-DIMM according to the pattern, and notifies the
// host (our choice: section 4 leaves open whether a remote write may have a pattern at the
// receiver). If one element is outside the memory, nothing is written.
func (s *share) scatter(rank int, p *Packet, v *vector) Reason {
	data, ok := v.parse(p)
	switch {
	case !ok || len(data) != v.length || p.Memory != InDIMM:
		return BadRequest
	case !v.within(s, rank):
		return Outside
	}
	if p.Quiet {
		v.scatter(s, rank, 0, data)
		return 0
	}
	if why := s.beginStatus(p.From); why != 0 {
		return why
	}
	v.scatter(s, rank, 0, data)
	s.endStatus(p)
	return 0
}

// ipush appends the data to the receive ring, if it has room (section 11). The record in the ring
// notifies the host: no status is written (our choice).
func (s *share) ipush(p *Packet, sent *ring.Tally) Reason {
	if size := len(p.Data) - RecordHead; size < 0 || size > RecordBytes {
		return BadRequest
	}
	head := [3]uint64{}
	for i := range head {
		head[i] = binary.LittleEndian.Uint64(p.Data[8*i:])
	}
	ok, err := s.records.Put(p.From, &head, p.Data[RecordHead:], sent)
	switch {
	case err != nil:
		return RingBroken
	case !ok:
		return RingFull
	}
	return 0
}

// answer sends back the data that a packet requests (class (2)(b) and (3)(b)). The reply is
// received like any packet, without a status.
func (n *NIC) answer(rank int, t *share, p *Packet) (int, Reason) {
	v := &n.asked
	if !v.request(p) || p.Memory != InDIMM && v.pattern != Contiguous {
		return rank, BadRequest
	}
	reply := Packet{Op: PacketWrite, Memory: p.Request.Memory, Quiet: true, From: rank, Address: p.Request.Reply}
	switch p.Memory {
	case InDIMM:
		if !v.within(t, rank) {
			return rank, Outside
		}
		reply.Data = n.scratch[:v.length]
		v.gather(t, rank, 0, reply.Data)
	case InLLCM:
		mem, _, ok := t.place(rank, InLLCM, p.Address, v.length)
		if !ok {
			return rank, Outside
		}
		reply.Data = n.scratch[:v.length]
		dma.Read(reply.Data, mem)
	default:
		return rank, Outside
	}
	return n.rank, n.own.write(n.rank, &reply)
}

// right returns the write right of a Prefetch Window of the process.
func (s *share) right(window int) *uint64 { return &s.public[pubRights+window*rightWords] }

// rightTries is the number of attempts to take a write right that another writer has: some
// microseconds, the time of a packet.
const rightTries = 1 << 12

// acquire takes a write right (section 8.2, rows 6 and 7). A process that dies while it has the
// right keeps it, and all others are refused.
func acquire(right *uint64, rank int) bool {
	for range rightTries {
		if atomic.CompareAndSwapUint64(right, 0, uint64(rank)+1) {
			return true
		}
	}
	return false
}

func release(right *uint64) { atomic.StoreUint64(right, 0) }
