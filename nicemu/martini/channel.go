package martini

import "rhinet/internal/ring"

// A Channel writes one packet ring of a node: payloads that do not fit the
// line are PUSHed into the ring's data area, then the line goes out by BOTF.
// It belongs to one goroutine at a time.
type Channel struct {
	route
	ring ring.Ring
	out  ring.Outlet
	max  int

	pos      uint64 // where the next payload goes
	attested uint64 // out.Sent when Attest was called last
}

// Channel opens packet ring i of a node.
func (n *NIC) Channel(w *Window, rank, i int) (*Channel, error) {
	c := new(Channel)
	if err := c.find(n, w, rank, sidRings); err != nil {
		return nil, err
	}
	mem := n.rings.Memory(rank, i)
	if mem == nil {
		return nil, n.refuse(Refusal{
			Op: opBotf, Node: rank, Segment: makeSegment(sidRings, ioGen),
			Offset: uint64(i) * uint64(n.f.RingStride()), Reason: BeyondSegment,
		})
	}
	c.ring, c.max = ring.Open(mem, n.RingLayout()), n.RingLayout().Bytes
	c.open()
	return c, nil
}

// RingLayout returns the shape of packet rings.
func (n *NIC) RingLayout() ring.Layout { return n.f.Geometry().Ring }

// RingReader returns a reader of this node's own packet ring i, which nobody
// has read yet, or nil if there is none, as after Close.
func (n *NIC) RingReader(i int) *ring.Reader {
	if n.closed.Load() {
		return nil
	}
	return n.rings.Reader(n.rank, i)
}

// Put writes packet number slot, whose payload lies at data position pos if it does
// not fit the line; see [ring.Ring.Put]. The caller knows that there is room.
func (c *Channel) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	if len(payload) > c.max {
		return c.tooLong(len(payload))
	}
	if *c.cont++; !c.good() {
		if err := c.renew(); err != nil {
			return err
		}
		c.open()
	}
	c.out.Went(slot + 1)
	if len(payload) <= ring.Inline {
		c.ring.PutLine(slot, head, payload)
		return nil
	}
	c.pos = c.ring.Put(slot, pos, head, payload)
	return nil
}

// Outlet returns the ring as one into which lines go as long as the translations hold: what Put does of one, but
// renew them.
func (c *Channel) Outlet() *ring.Outlet { return &c.out }

// open has the outlet go by the translations as they are now.
func (c *Channel) open() {
	c.out.Open(&c.ring, c.cont, [...]*uint64{c.key, c.seg, c.page}, [...]uint64{c.keyWas, c.segWas, c.pageWas})
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
