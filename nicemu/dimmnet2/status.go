package dimmnet2

import (
	"sync/atomic"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Status describes a received packet: it is an entry of 16 bytes in the status ring of the
// process, which is in the LLCM (section 8.2, and our choice where it is silent):
//
//	word 0  sequence(32) node(12) process(4) bytes(16)
//	word 1  address(32) tag(16) memory(8)
//
// The Status Write Unit writes word 0 last. Other processes can write that memory too.
type Status struct {
	From    int // rank
	Tag     uint16
	Bytes   int
	Memory  Memory
	Address uint32
}

// statusRight returns the write right of the status ring.
func (s *share) statusRight() *uint64 { return s.right(ownPrefetch) }

// statusWord returns a word of the status ring in the LLCM.
func (s *share) statusWord(at int) *uint64 { return &fabric.WordsOf(s.llcm)[at/8] }

// statusEntry returns the words of entry i.
func (s *share) statusEntry(i uint64) *[2]uint64 {
	at := (statusAt + int(i%statusEntries)*statusBytes) / 8
	return (*[2]uint64)(fabric.WordsOf(s.llcm)[at : at+2])
}

// beginStatus takes the write right of the status ring, if the ring has room for an entry.
func (s *share) beginStatus(from int) Reason {
	if !acquire(s.statusRight(), from) {
		return Held
	}
	head, released := atomic.LoadUint64(s.statusWord(statusHead)), atomic.LoadUint64(s.statusWord(statusReleased))
	switch used := head - released; {
	case used < statusEntries:
		return 0
	case used == statusEntries:
		release(s.statusRight())
		return StatusFull
	}
	release(s.statusRight())
	return RingBroken
}

// endStatus writes the entry, and releases the write right.
func (s *share) endStatus(p *Packet) {
	head := atomic.LoadUint64(s.statusWord(statusHead))
	e := s.statusEntry(head)
	atomic.StoreUint64(&e[1], uint64(p.Address)|uint64(p.Tag)<<32|uint64(p.Memory)<<48)
	node, process := uint64(p.From/Processes), uint64(p.From%Processes)
	atomic.StoreUint64(&e[0], uint64(ring.Seq(head))|node<<32|process<<44|uint64(len(p.Data))<<48)
	atomic.StoreUint64(s.statusWord(statusHead), head+1)
	release(s.statusRight())
}

// Poll takes the next entry of this process's status ring, if there is one.
func (n *NIC) Poll() (s Status, ok bool) {
	if n.closed {
		return s, false
	}
	e := n.own.statusEntry(n.status)
	w := atomic.LoadUint64(&e[0])
	if uint32(w) != ring.Seq(n.status) {
		return s, false
	}
	x := atomic.LoadUint64(&e[1])
	s = Status{
		From: int(w>>32&0xfff)*Processes + int(w>>44&15), Bytes: int(w >> 48),
		Address: uint32(x), Tag: uint16(x >> 32), Memory: Memory(x >> 48),
	}
	n.status++
	atomic.StoreUint64(n.own.statusWord(statusReleased), n.status)
	return s, true
}

// Records returns the reader of this process's receive ring, or nil after Close.
func (n *NIC) Records() *ring.SharedReader {
	if n.closed {
		return nil
	}
	return ring.NewSharedReader(n.own.llcm[ipushAt:], ipush(), n.f.Ranks())
}

// IPUSHed returns the account of the records that this process has appended at another one.
func (n *NIC) IPUSHed(rank int) ring.Tally { return n.sent[rank] }
