package martini

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
)

// A Channel writes one packet ring of a node: payloads that do not fit the
// line are PUSHed into the ring's data area, then the line goes out by BOTF.
// It belongs to one goroutine at a time.
type Channel struct {
	route
	ring ring.Ring
	max  int

	slot, pos uint64 // where the next packet goes
	attested  uint64 // slot when Attest was called last
}

// Channel opens packet ring i of a node.
func (n *NIC) Channel(w *Window, rank, i int) (*Channel, error) {
	c := new(Channel)
	if err := c.find(n, w, rank, sidRings); err != nil {
		return nil, err
	}
	g := n.f.Geometry()
	if uint(i) >= uint(g.Rings) {
		return nil, n.refuse(Refusal{
			Op: opBotf, Node: rank, Segment: makeSegment(sidRings, ioGen),
			Offset: uint64(i) * uint64(n.f.RingStride()), Reason: BeyondSegment,
		})
	}
	c.ring = ring.Open(n.readyMemory(rank, i), g.Ring)
	c.max = g.Ring.Bytes
	return c, nil
}

// ringMemory returns packet ring i of a node's pool.
func (n *NIC) ringMemory(rank, i int) []byte {
	at := i * n.f.RingStride()
	return n.f.Bytes(rank, fabric.Rings)[at : at+n.f.Geometry().Ring.Size()]
}

// readyMemory is ringMemory, with its pages in place if this node has not opened
// many rings yet, its own and others'. Where everybody talks to hundreds each ring
// is used less, and memory is what would run out.
func (n *NIC) readyMemory(rank, i int) []byte {
	mem := n.ringMemory(rank, i)
	if n.ready < readyRings {
		n.ready++
		n.f.Ready(mem)
	}
	return mem
}

// RingLayout returns the shape of packet rings.
func (n *NIC) RingLayout() ring.Layout { return n.f.Geometry().Ring }

// RingReader returns a reader of this node's own packet ring i, which nobody
// has read yet, or nil if there is none, as after Close.
func (n *NIC) RingReader(i int) *ring.Reader {
	g := n.f.Geometry()
	if uint(i) >= uint(g.Rings) || n.closed.Load() {
		return nil
	}
	return ring.NewReader(n.readyMemory(n.rank, i), g.Ring, 0, 0)
}

// PutLine writes packet number slot, whose payload lies in its line, if the
// translations still hold. It reports whether they do, and whether the payload fits
// the line; if not, nothing has happened.
func (c *Channel) PutLine(slot uint64, head *[3]uint64, payload []byte) bool {
	if len(payload) > ring.Inline {
		return false
	}
	if !c.good() {
		return false
	}
	*c.cont++
	c.ring.PutLine(slot, head, payload)
	c.slot = slot + 1
	return true
}

// Put writes packet number slot, whose payload lies at data position pos if it
// is long; see [ring.Ring.Put]. The caller knows that there is room.
func (c *Channel) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	if len(payload) > c.max {
		return c.tooLong(len(payload))
	}
	if err := c.ready(); err != nil {
		return err
	}
	c.slot, c.pos = slot+1, c.ring.Put(slot, pos, head, payload)
	c.ring.Prefetch(c.pos, len(payload))
	return nil
}

// Consumed PULLs the counters that the ring's reader exports (pm-messaging,
// section 1.4.8). They may be old; whether they can be true is for the caller
// to judge.
func (c *Channel) Consumed() (slot, pos uint64, err error) {
	if err := c.ready(); err != nil {
		return 0, 0, err
	}
	slot, pos = c.ring.Consumed()
	return slot, pos, nil
}
