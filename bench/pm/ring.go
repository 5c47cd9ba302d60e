package pm

import (
	"rhinet/internal/ring"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// rings is a link over the packet rings. It polls a set with one ring from every node, all of them idle
// except one.
type rings struct {
	set          *ring.Set
	packet       ring.Packet
	channel      *martini.Channel
	slots, bytes uint64
	spread       bool
	slot, pos    uint64 // next
	tail, back   uint64 // as last read
	buf          []byte
}

// oneEach gives each node one ring from every other node.
func oneEach(g fabric.Geometry, nodes int) fabric.Geometry {
	g.Rings = max(g.Rings, nodes)
	return g
}

func openRing(nic *martini.NIC) (link, error) {
	l := nic.RingLayout()
	r := &rings{
		set:   ring.NewSet(nic.MailReader(), nic.Ranks()),
		slots: uint64(l.Slots), bytes: uint64(l.Bytes), spread: l.Spread, buf: make([]byte, l.Bytes/2),
	}
	for from := range nic.Ranks() {
		if from != nic.Rank() {
			r.set.Add(from, uint32(from), nic.RingReader(from))
		}
	}
	var err error
	r.channel, err = nic.Channel(nic.Window(0), 1-nic.Rank(), nic.Rank())
	return r, err
}

func (r *rings) close() error { return nil }

func (r *rings) send(_, n int) (bool, error) {
	_, next := ring.Place(r.pos, r.bytes, n, r.spread)
	if r.slot-r.tail >= r.slots || next-r.back > r.bytes {
		var err error
		if r.tail, r.back, err = r.channel.Consumed(); err != nil || r.slot-r.tail >= r.slots || next-r.back > r.bytes {
			return false, err
		}
	}
	var head [3]uint64
	err := r.channel.Put(r.slot, r.pos, &head, r.buf[:n])
	r.slot++
	r.pos = next
	return err == nil, err
}

func (r *rings) receive() (bool, error) {
	ok, err := r.set.Poll(&r.packet)
	if ok {
		r.set.Consume()
	}
	return ok, err
}
