package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/dma"
	"rhinet/nicemu/fabric"
)

// VPushSegment is the SID of VPUSH: it is never in RVATLB, and by it the receiving NIC tells VPUSH
// from a true miss (martini, section 11.3; our choice).
const VPushSegment = Segment(ioGen<<32 | sidVPush)

// VPUSH on the fast path: as with locks, the sending thread acts for the receiver's NIC, in the
// same order (martini, section 11.3; pm-messaging, section 1.7). The NIC receives one packet at a
// time (step 3); it checks for room and chooses the place by its own copy of the receive pointer
// (4), has the payload written (7), notifies the host (9), and is then free for the next packet.
//
// Our choice is the form of the notification: each record begins with a line whose sequence says
// that the receive pointer has passed it. The host polls the line of the next record, where with
// the hardware it would poll the pointer. Both change after the payload is written, and the host
// must read the line anyway.

// A Mailbox appends to the ring of a node that takes packets of all nodes in arrival order: it is
// VPUSH (martini, section 11) with a prepared header and translations made in advance. The packet
// carries the SID that is never in RVATLB, and the target's NIC chooses the address by its receive
// pointer; the host's release pointer says when the ring is full. A record is at most one MTU long,
// including its frame of 8 bytes, and no ack reaches the sender.
type Mailbox struct {
	route
	ring *ring.SharedWriter
	most int // maximum payload of a record, in bytes

	sent   ring.Tally
	ledger ring.Ledger
}

// Mailbox opens the VPUSH ring of a node.
func (n *NIC) Mailbox(w *Window, rank int) (*Mailbox, error) {
	m := new(Mailbox)
	if err := m.find(n, w, rank, sidShared); err != nil {
		return nil, err
	}
	m.most = n.MaxMail()
	m.ledger = ring.NewLedger(n.Records(rank, n.rank))
	m.ring = ring.NewSharedWriter(n.f.Bytes(rank, fabric.Shared), n.f.Geometry().Shared)
	return m, nil
}

// MaxMail returns the longest payload of a record of the VPUSH ring, in bytes.
func (n *NIC) MaxMail() int { return n.f.Geometry().Shared.MaxPayload() }

// MailReader returns the reader of this node's own VPUSH ring, or nil after
// Close.
func (n *NIC) MailReader() *ring.SharedReader {
	if n.closed.Load() {
		return nil
	}
	return ring.NewSharedReader(n.f.Bytes(n.rank, fabric.Shared), n.f.Geometry().Shared, n.f.Ranks())
}

// Append sends one record, to which the NIC adds the source, and reports whether there was room.
func (m *Mailbox) Append(head *[3]uint64, payload []byte) (bool, error) {
	if len(payload) > m.most {
		return false, m.tooLong(len(payload))
	}
	if err := m.ready(); err != nil {
		return false, err
	}
	m.ledger.Change()
	return m.ring.Put(m.nic.rank, head, payload, &m.sent)
}

// kickVPush is a PUSH or PULL from a Window to VPUSH's segment.
func (x *trip) kickVPush(r *Refusal, push, ack bool) {
	b := make([]byte, min(MaxImage, x.size))
	if push && !x.read(b) {
		r.Reason, r.local = NotPinned, true
		return
	}
	x.vpush(r, push && ack, b)
}

// read copies the issuer's memory to b, and reports whether all of it is pinned.
func (x *trip) read(b []byte) bool {
	for done := uint64(0); done < uint64(len(b)); {
		part := onPage(x.local+done, uint64(len(b))-done)
		mem, ok := x.n.local(x.own, x.local+done, part)
		if !ok {
			return false
		}
		dma.Read(b[done:done+part], mem)
		done += part
	}
	return true
}

// vpush is a miss in RFend's RVA state for a packet of VPUSH, whose payload is b, and its handling
// by the receiving firmware. The firmware learns from the ack that the packet requests that the
// payload has been written. A packet that requests none, as of any other kind, is refused. No ack
// reaches the sender.
func (x *trip) vpush(r *Refusal, ack bool, b []byte) {
	n := x.n
	t, ok := n.node(x.to.rank)
	if !ok {
		r.Reason = NoNode
		return
	}
	size := t.segment(sidShared).load(entSize)
	va, hint, why := t.rva(x.to.key, makeSegment(sidShared, ioGen), 0, size)
	switch {
	case why != 0:
		r.Reason = why
	case !ack:
		r.Reason = SpecialPacket
	case x.size > uint64(n.MaxMail()):
		r.Reason = WrongLength
	default:
		r.Reason = n.pinned(t, x.to.rank, x.to.key, va, size, hint, true)
	}
	if r.Reason != 0 {
		return
	}
	w := ring.NewSharedWriter(n.f.Bytes(x.to.rank, fabric.Shared), n.f.Geometry().Shared)
	if !w.Append(n.rank, new([3]uint64), b) {
		r.Reason = NoRoom
		return
	}
	r.Moved = len(b)
}
