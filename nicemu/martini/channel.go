package martini

import "rhinet/internal/ring"

// A Channel writes one packet ring of a node: a payload that does not fit the slot is PUSHed into
// the ring's data area, then the slot is sent by BOTF. A Channel belongs to one goroutine at a
// time.
type Channel struct {
	route
	ring ring.Ring
	out  ring.Outlet
	max  int

	pos      uint64 // where the next payload goes
	attested uint64 // out.Sent at the last call of Attest
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
	c.ring, c.max = ring.Open(mem, n.RingLayout()), max(n.RingLayout().Bytes, ring.Short)
	c.open()
	return c, nil
}

// RingLayout returns the shape of packet rings.
func (n *NIC) RingLayout() ring.Layout { return n.f.Geometry().Ring }

// RingReader returns a reader of this node's own packet ring i, of which nothing has been read yet,
// or nil if there is no such ring or the NIC is closed.
func (n *NIC) RingReader(i int) *ring.Reader {
	if n.closed.Load() {
		return nil
	}
	return n.rings.Reader(n.rank, i)
}

// Put writes packet number slot, whose payload lies at data position pos if it does not fit the
// slot; see [ring.Ring.Put]. The caller has checked that there is room.
func (c *Channel) Put(slot, pos uint64, head *[3]uint64, payload []byte) error {
	if err := c.prepare(slot, len(payload)); err != nil {
		return err
	}
	if len(payload) <= ring.Short {
		c.ring.PutLine(slot, head, payload)
		return nil
	}
	c.pos = c.ring.Put(slot, pos, head, payload)
	return nil
}

// Gather is Put of a noncontiguous payload of n bytes: see [ring.Ring.Gather].
func (c *Channel) Gather(slot, pos uint64, head *[3]uint64, from ring.Gatherer, off, n int) error {
	if err := c.prepare(slot, n); err != nil {
		return err
	}
	if next := c.ring.Gather(slot, pos, head, from, off, n); n > ring.Short {
		c.pos = next
	}
	return nil
}

// prepare checks that a payload of n bytes may go in packet number slot, and counts the packet. It renews the
// translations if they are no longer valid.
func (c *Channel) prepare(slot uint64, n int) error {
	if n > c.max {
		return c.tooLong(n)
	}
	if *c.cont++; !c.good() {
		if err := c.renew(); err != nil {
			return err
		}
		c.open()
	}
	c.out.Went(slot + 1)
	return nil
}

// Outlet returns the ring in a form that takes lines as long as the translations are valid: it does
// what Put does, but cannot renew the translations.
func (c *Channel) Outlet() *ring.Outlet { return &c.out }

// open has the outlet use the present translations.
func (c *Channel) open() {
	c.out.Open(&c.ring, c.cont, [...]*uint64{c.key, c.seg, c.page}, [...]uint64{c.keyWas, c.segWas, c.pageWas})
}

// Consumed PULLs the counters that the ring's reader exports (pm-messaging, section 1.4.8). They
// may be old; the caller checks whether they are plausible.
func (c *Channel) Consumed() (slot, pos uint64, err error) {
	if err := c.ready(); err != nil {
		return 0, 0, err
	}
	slot, pos = c.ring.Consumed()
	return slot, pos, nil
}
