package network

import (
	"fmt"
	"math/rand/v2"

	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Network is a topology of links, switches and endpoints in virtual time.
type Network struct {
	k         *vtime.Kernel
	s         settings
	t         *Topology
	routes    *Routes
	wires     []*wire // two for each link: from A, from B
	crossbars []*crossbar
	endpoints []*endpoint
	pool      []*visit
	inside    vtime.Meter
	counts    Counts
}

// Counts are the packets that a network has seen. Sent is Delivered plus the packets inside.
type Counts struct {
	Sent, Delivered, Damaged uint64
	Bytes                    uint64     // of payload, delivered
	Latency                  vtime.Time // sum over the delivered packets
}

// New builds the network of a topology on a kernel. The seed is for bit errors.
func New(k *vtime.Kernel, t *Topology, p *param.Table, seed uint64) (*Network, error) {
	s, err := resolve(p)
	if err != nil {
		return nil, err
	}
	if err := t.Check(s.ports); err != nil {
		return nil, err
	}
	if err := s.enough(t); err != nil {
		return nil, err
	}
	n := &Network{k: k, s: s, t: t, routes: NewRoutes(t, s.method)}
	if err := n.routes.CheckChannels(s.channels); err != nil {
		return nil, err
	}
	for range t.Switches {
		n.crossbars = append(n.crossbars, &crossbar{n: n, byLink: links(len(t.Links))})
	}
	for i, name := range t.Hosts {
		n.endpoints = append(n.endpoints, &endpoint{Source: k.Source(name), n: n, host: i})
	}
	for i, l := range t.Links {
		a, b := n.wire(i, l.A, l.B, seed), n.wire(i, l.B, l.A, seed)
		n.wires = append(n.wires, a, b)
		n.plug(i, l.A, a, b)
		n.plug(i, l.B, b, a)
	}
	return n, nil
}

// links returns a list without outputs.
func links(n int) []int32 {
	list := make([]int32, n)
	for i := range list {
		list[i] = -1
	}
	return list
}

// wire makes one direction of a link.
func (n *Network) wire(link int, from, to Node, seed uint64) *wire {
	name := n.t.Name(from) + ">" + n.t.Name(to)
	c := clean{clock: n.s.flit, delay: n.s.delay(n.t.Links[link])}
	w := &wire{Source: n.k.Source(name), n: n, name: name, link: link, start: from, clock: n.s.flit, delay: c.delay, rooms: make([]room, n.s.channels)}
	if from.Switch {
		w.cross = n.s.cross
	}
	if n.s.control != stopGo {
		for i := range w.rooms {
			w.rooms[i].lag = w.delay
		}
	}
	r := rand.New(rand.NewPCG(seed, uint64(len(n.wires))<<1|b2u(from == n.t.Links[link].B)))
	switch {
	case n.s.bitErrors == 0 && (n.s.protection == ecc || n.s.windowFills(c.delay)):
		w.move, w.count = &c, &c.LinkErrors
	case n.s.protection == ecc:
		m := &corrected{c, newNoise(r, n.s.bitErrors, n.s.rawBits, 0), n.s.corrects}
		w.move, w.count = m, &m.LinkErrors
	default:
		m := newARQ(c, newNoise(r, n.s.bitErrors, n.s.rawBits, n.s.rawBits-n.s.dataBits-n.s.sequenceBits), &n.s)
		w.move, w.count = m, &m.LinkErrors
	}
	return w
}

func b2u(b bool) uint64 {
	if b {
		return 1
	}
	return 0
}

// plug connects a node to the outgoing and the incoming wire of a link.
func (n *Network) plug(link int, at Node, out, in *wire) {
	if !at.Switch {
		e := n.endpoints[at.Index]
		e.out, e.in, out.from, in.to = out, in, e, e
		return
	}
	x := n.crossbars[at.Index]
	o := &output{x: x, w: out}
	i := &input{Source: n.k.Source(in.name + " buffer"), x: x, place: len(x.inputs), w: in, queue: make([]vtime.Ring[*visit], n.s.channels)}
	x.byLink[link] = int32(len(x.outputs))
	x.outputs, x.inputs = append(x.outputs, o), append(x.inputs, i)
	out.from, in.to = o, i
}

// visit returns an unused visit.
func (n *Network) visit() *visit {
	if len(n.pool) == 0 {
		return new(visit)
	}
	v := n.pool[len(n.pool)-1]
	n.pool = n.pool[:len(n.pool)-1]
	return v
}

func (n *Network) release(v *visit) { n.pool = append(n.pool, v) }

// Attach sets the sink for the packets of a host. Without one they are dropped on arrival.
func (n *Network) Attach(host int, s Sink) { n.endpoints[host].sink = s }

// Send hands a packet to the network at its source, which sends its packets in this order. The
// packet belongs to the network until it is delivered.
func (n *Network) Send(p *Packet) error {
	if p.Src < 0 || p.Src >= len(n.endpoints) || p.Dst < 0 || p.Dst >= len(n.endpoints) || p.Src == p.Dst {
		return fmt.Errorf("network: a packet from host %d to host %d; there are hosts 0 to %d, and a packet goes to another", p.Src, p.Dst, len(n.endpoints)-1)
	}
	if p.Bytes < 0 || p.Bytes > n.s.mtu {
		return fmt.Errorf("network: a packet of %d bytes; packet.mtu is %d", p.Bytes, n.s.mtu)
	}
	p.Born, p.Left, p.Arrived, p.Hops, p.Damaged, p.at = n.k.Now(), 0, 0, 0, false, nil
	n.counts.Sent++
	n.inside.Add(n.k.Now(), 1)
	e := n.endpoints[p.Src]
	v := n.visit()
	*v = visit{p: p, flits: n.s.flits(p.Bytes)}
	e.queue.Push(v)
	e.try()
	return nil
}

// delivered counts a packet that has arrived.
func (n *Network) delivered(p *Packet) {
	n.counts.Delivered++
	n.counts.Bytes += uint64(p.Bytes)
	n.counts.Latency += p.Arrived - p.Born
	if p.Damaged {
		n.counts.Damaged++
	}
	n.inside.Add(n.k.Now(), -1)
}

// Release removes a packet from the buffer of its last link, where a sink's Tail has kept it.
func (n *Network) Release(p *Packet) {
	v := p.at
	if v == nil {
		panic(notKept)
	}
	p.at = nil
	n.leave(v)
}

// leave removes a packet from the buffer of its last link.
func (n *Network) leave(v *visit) {
	v.w.drained(v.channel, v.flits, n.k.Now(), n.k.Now())
	n.release(v)
}

const notKept = "network: a packet was released that no buffer holds"

// Counts returns the counts so far.
func (n *Network) Counts() Counts { return n.counts }

// Inside returns the integral of the number of packets from Send to delivery.
func (n *Network) Inside() *vtime.Meter { return &n.inside }

// Routes returns the routes of packets.
func (n *Network) Routes() *Routes { return n.routes }

// Hosts returns the number of hosts.
func (n *Network) Hosts() int { return len(n.endpoints) }

// DataRate returns the maximum number of bytes of flit data, including headers, that a link carries
// in a second in each direction.
func (n *Network) DataRate() float64 { return n.s.flit.Megahertz() * 1e6 * float64(n.s.dataBits) / 8 }

// LinkDelay returns the time that a flit takes from one end of a link to the other.
func (n *Network) LinkDelay(link int) vtime.Time { return n.s.delay(n.t.Links[link]) }

// Flits returns the number of flits of a packet with that many bytes of payload.
func (n *Network) Flits(bytes int) int { return n.s.flits(bytes) }

// A WireUse is the use of one direction of a link until now.
type WireUse struct {
	Name        string
	Utilisation float64 // fraction of the time in which it sent flits: 0 to 1
	Buffered    int64   // maximum number of flits in one virtual channel of the buffer at its end
	LinkErrors
}

// Wires returns the use of all directions of links.
func (n *Network) Wires() []WireUse {
	now := n.k.Now()
	all := make([]WireUse, 0, len(n.wires))
	for _, w := range n.wires {
		u := WireUse{Name: w.name, LinkErrors: *w.count}
		if now > 0 {
			u.Utilisation = float64(w.sentFor()) / float64(now)
		}
		for i := range w.rooms {
			u.Buffered = max(u.Buffered, w.rooms[i].most)
		}
		all = append(all, u)
	}
	return all
}

// Stuck reports whether packets are inside and no event is pending: a deadlock, or sinks that keep
// packets.
func (n *Network) Stuck() bool { return n.counts.Sent > n.counts.Delivered && n.k.Pending() == 0 }
