package sync

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/syncctl"
)

// An RP keeps the event packets for its process in a queue, a ring of lines that the RPs of all
// nodes write, and interrupts the process if it sleeps (our choice: the specification leaves open
// how a process learns of an arrival). The 16 bytes of a packet are in the part of a line that
// sequence, source and length leave free:
//
//	word 0  Source ID, Destination ID | sequence
//	word 1  Int level, Control, Sync  | source and length
//	word 2  Data2, Memory Address, Status
//
// Nothing is lost: an event is refused if there is no room for it.

// SendEvent sends an event packet to the node that it names, and reports whether there was room.
// The RP fills in the source.
func (n *NIC) SendEvent(p *syncctl.Packet) (bool, error) {
	to := int(p.Destination)
	if _, why := n.peer(to); why != 0 {
		return false, n.refuse("event", to, why)
	}
	if n.queues[to] == nil {
		n.queues[to] = ring.NewSharedWriter(n.f.Bytes(to, fabric.Shared), n.f.Geometry().Shared)
	}
	p.Source = uint16(n.rank)
	b := p.Encode()
	head := [3]uint64{
		uint64(binary.BigEndian.Uint32(b[0:])) << 32, uint64(binary.BigEndian.Uint32(b[4:])) << 32, binary.BigEndian.Uint64(b[8:]),
	}
	ok, err := n.queues[to].Put(n.rank, &head, nil, &n.sent[to])
	switch {
	case err != nil:
		return false, n.refuse("event", to, QueueBroken)
	case ok:
		n.own.tables[regEvents]++
	}
	return ok, nil
}

// ReadEvent returns the event packet in the words of a line of the queue. Other processes can write
// the memory of the queue.
func ReadEvent(head *[3]uint64) syncctl.Packet {
	var b [syncctl.PacketBytes]byte
	binary.BigEndian.PutUint32(b[0:], uint32(head[0]>>32))
	binary.BigEndian.PutUint32(b[4:], uint32(head[1]>>32))
	binary.BigEndian.PutUint64(b[8:], head[2])
	return syncctl.Decode(b)
}

// Events returns the reader of this node's queue, or nil after Close.
func (n *NIC) Events() *ring.SharedReader {
	if n.closed {
		return nil
	}
	return ring.NewSharedReader(n.f.Bytes(n.rank, fabric.Shared), n.f.Geometry().Shared, n.f.Ranks())
}

// Signalled returns the account of the events that this node has put into the queue of another
// node.
func (n *NIC) Signalled(rank int) ring.Tally { return n.sent[rank] }
