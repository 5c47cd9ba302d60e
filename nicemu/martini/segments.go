package martini

import (
	"fmt"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Segment names a registered segment of a process: its SID (martini, section 5.3) with the
// generation of its registration. Our choice: the generation, so that a name that outlives its
// registration does not name the next one; and a length, where the specification has only a start
// (section 5.5), so that an offset cannot lead from one buffer into another on the same pages. Zero
// names no segment.
type Segment uint64

func makeSegment(sid int, gen uint32) Segment { return Segment(uint64(gen)<<32 | uint64(sid)) }

// SID returns the segment identifier.
func (s Segment) SID() int { return int(uint32(s)) }

// Generation returns the generation of the registration.
func (s Segment) Generation() uint32 { return uint32(s >> 32) }

// String returns SID and generation.
func (s Segment) String() string { return fmt.Sprintf("%d.%d", s.SID(), s.Generation()) }

// Register gives n bytes at virtual address at of this process a segment. As in the SID table
// (martini, section 8.6) the address is not checked: if the memory is not pinned when a peer
// accesses it, that access is refused.
func (n *NIC) Register(at, size uint64) (Segment, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	return n.register(at, size, n.last)
}

func (n *NIC) register(at, size uint64, hint int) (Segment, error) {
	switch {
	case n.closed.Load():
		return 0, n.refuse(Refusal{Op: opSID, Node: n.rank, Bytes: int(size), Reason: InvalidWindow})
	case at+size < at:
		return 0, n.refuse(Refusal{Op: opSID, Node: n.rank, Bytes: int(size), Reason: WrongLength})
	case len(n.sids) == 0:
		return 0, n.refuse(Refusal{Op: opSID, Node: n.rank, Bytes: int(size), Reason: TableFull})
	}
	sid := int(n.sids[len(n.sids)-1])
	n.sids = n.sids[:len(n.sids)-1]
	s := n.own.segment(sid)
	s.write(n.key, at, size, uint64(hint))
	n.hints[sid] = hint
	n.live++
	return makeSegment(sid, s.validate()), nil
}

// RegisterPinned gives b, which is in the memory that p pins, a segment. Memory that is registered
// for one use only can thus stay pinned for the next (martini, section 8.3). Release withdraws the
// segment.
func (n *NIC) RegisterPinned(p Pin, b []byte) (Segment, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	i, gen := p.split()
	at, size := fabric.Address(b), uint64(len(b))
	if i < ownExtents || i >= Extents || n.own.extent(i).load(entState) != uint64(gen)<<entGenShift|entValid || !within((*n.pins)[i].buf, at, size) {
		return 0, n.refuse(Refusal{Op: opSID, Node: n.rank, Bytes: len(b), Reason: NotPinned})
	}
	return n.register(at, size, i)
}

// Release withdraws a segment. Once it has returned, no transfer that named the segment is in
// progress in the extent of its registration.
func (n *NIC) Release(s Segment) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	_, err := n.unregister(s)
	return err
}

// unregister returns the extent of the segment's registration.
func (n *NIC) unregister(s Segment) (int, error) {
	sid := s.SID()
	if sid < firstSID || sid >= Segments || !n.own.segment(sid).invalidate(s.Generation()) {
		return 0, n.refuse(Refusal{Op: opSID, Node: n.rank, Segment: s, Reason: Misuse})
	}
	n.live--
	hint := n.hints[sid]
	// A transfer holds its extent before it checks the segment for the last time: either it sees
	// that the segment is gone, or drain waits for it.
	n.tell(hint, s)
	if !n.drain(hint) {
		return hint, n.refuse(Refusal{Op: opSID, Node: n.rank, Segment: s, Reason: InUse})
	}
	n.sids = append(n.sids, int32(sid))
	return hint, nil
}

// Expose pins b and gives it a segment, as a process must before peers may PULL from b or PUSH to
// it.
func (n *NIC) Expose(b []byte) (Segment, error) { return n.expose(b, true) }

// ExposeHeld is to Expose as Hold is to Pin: the caller keeps the memory alive and in place until
// Conceal.
func (n *NIC) ExposeHeld(b []byte) (Segment, error) { return n.expose(b, false) }

func (n *NIC) expose(b []byte, fix bool) (Segment, error) {
	n.mu.Lock()
	defer n.mu.Unlock()
	if n.closed.Load() {
		return 0, n.refuse(Refusal{Op: opPin, Node: n.rank, Bytes: len(b), Reason: InvalidWindow})
	}
	// An extent of its own: Conceal waits for the transfers in the extent. So if a buffer is sent
	// twice, completing the first transfer does not wait for the second.
	p, err := n.enter(b, fix)
	if err != nil {
		return 0, err
	}
	i, _ := p.split()
	s, err := n.register(fabric.Address(b), uint64(len(b)), i)
	if err != nil {
		_ = n.unpin(p)
	}
	return s, err
}

// Conceal undoes Expose. Once it has returned, only the process accesses the memory.
func (n *NIC) Conceal(s Segment) error {
	n.mu.Lock()
	defer n.mu.Unlock()
	n.recall(s)
	i, err := n.unregister(s)
	if err != nil {
		return err
	}
	return n.unpin(makePin(i, (*n.pins)[i].gen))
}

// recall prefetches, all at once, the lines that withdrawing a segment and its extent needs: they
// are in the cache of the peer that has used it.
func (n *NIC) recall(s Segment) {
	if sid := s.SID(); sid < Segments {
		i := n.hints[sid]
		ring.Prefetch((*ring.Line)(n.own.segment(sid)))
		ring.Prefetch((*ring.Line)(n.own.extent(i)))
		ring.Fetch((*ring.Line)(n.own.public[pubHolds+i*entryWords:]))
	}
}

// withdrawAll invalidates every segment and extent of this process.
func (n *NIC) withdrawAll() (err error) {
	for sid := firstSID; sid < Segments && n.live > 0; sid++ {
		s := n.own.segment(sid)
		if state := s.load(entState); state&entValid != 0 {
			s.invalidate(uint32(state >> entGenShift))
			n.live--
		}
	}
	for i := ownExtents; i < n.high; i++ {
		if !(*n.pins)[i].used {
			continue
		}
		x := n.own.extent(i)
		x.invalidate(uint32(x.load(entState) >> entGenShift)) // unless Unpin has invalidated it and failed
		n.tell(i, 0)
		if !n.drain(i) {
			err = n.refuse(Refusal{Op: opPin, Node: n.rank, Bytes: len((*n.pins)[i].buf), Reason: InUse})
		}
		n.release(i)
	}
	return err
}
