package tofu

import (
	"encoding/binary"

	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A node's queue of notices is a ring of lines that the NICs of all nodes write, one at a time, and
// its process reads. The writing NIC enters its node into a notice. Nothing is lost: if there is no
// room for an order's notice, the order is refused before a byte has moved.

// The payload of a notice's line: tag, offset, bytes, and a checksum of these, by which the reader
// detects a line that was overwritten.
const noticeBytes = 32

// A Notice reports data put into memory of this node. The NIC that wrote it has checked the order
// before; but others can write the queue's memory.
type Notice struct {
	Tag           Tag
	Offset, Bytes uint64
}

// text returns the notice in the form that it has in its line.
func (n *Notice) text() (text [noticeBytes]byte) {
	r := region{key: uint64(n.Tag), start: n.Offset, size: n.Bytes}
	for i, w := range [...]uint64{r.key, r.start, r.size, r.seal()} {
		binary.LittleEndian.PutUint64(text[8*i:], w)
	}
	return text
}

// ReadNotice reads the payload of a line of the queue. It returns false if no NIC can have written
// it.
func ReadNotice(text []byte) (n Notice, ok bool) {
	if len(text) != noticeBytes {
		return n, false
	}
	word := func(i int) uint64 { return binary.LittleEndian.Uint64(text[8*i:]) }
	n = Notice{Tag(word(0)), word(1), word(2)}
	return n, n.text() == [noticeBytes]byte(text)
}

// Notices returns the reader of this node's queue, or nil after Close.
func (n *NIC) Notices() *ring.SharedReader {
	if n.closed.Load() {
		return nil
	}
	return ring.NewSharedReader(n.f.Bytes(n.rank, fabric.Shared), n.f.Geometry().Shared, n.ranks)
}

// Noticed returns the account of the notices that this node has written at another node.
func (n *NIC) Noticed(rank int) ring.Tally { return n.sent[rank] }

// Account returns one of the two accounts that a node keeps of what another one has sent to it;
// from it a reader finds that something was overwritten before it was read. After Close it returns
// an account that no other node sees. Our choice; the hardware would not have it.
func (n *NIC) Account(at, of, which int) ring.Account {
	if n.closed.Load() {
		return ring.NewAccount(new(ring.Line))
	}
	return n.f.Account(at, of, which)
}

// queue returns the writer of a node's queue.
func (n *NIC) queue(rank int) *ring.SharedWriter {
	if n.queues[rank] == nil {
		n.queues[rank] = ring.NewSharedWriter(n.f.Bytes(rank, fabric.Shared), n.f.Geometry().Shared)
	}
	return n.queues[rank]
}
