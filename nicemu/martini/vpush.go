package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Mailbox appends to the ring of a node that takes packets of everybody in
// arrival order: VPUSH (martini, section 11). The packet carries the SID that
// RVATLB never holds, and the target's NIC chooses the address by its receive
// pointer; the host's release pointer says when the ring is full. A record is
// at most one MTU long, and no ack reaches the sender.
type Mailbox struct {
	route
	ring *ring.SharedWriter
	most int // bytes of a record's payload
}

// Mailbox opens the VPUSH ring of a node.
func (n *NIC) Mailbox(w *Window, rank int) (*Mailbox, error) {
	m := new(Mailbox)
	if err := m.find(n, w, rank, sidShared); err != nil {
		return nil, err
	}
	m.most = n.MaxMail()
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

// Append sends one record, whose source the NIC fills in, and reports whether
// there was room.
func (m *Mailbox) Append(head *[3]uint64, payload []byte) (bool, error) {
	if err := m.ready(); err != nil {
		return false, err
	}
	if len(payload) > m.most {
		return false, m.nic.refuse(Refusal{
			Op: opPush, Node: m.rank, Segment: makeSegment(sidShared, ioGen), Bytes: len(payload), Reason: WrongLength,
		})
	}
	return m.ring.Append(m.nic.rank, head, payload), nil
}
