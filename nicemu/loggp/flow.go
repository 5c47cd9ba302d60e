package loggp

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A flow moves packets over links.
type flow struct {
	src     vtime.Source
	k       *vtime.Kernel
	links   []medium.Stage
	gap     vtime.Time  // least time between the starts of two packets at a rank
	perByte medium.Rate // of a link
	route   router
	flights vtime.Slots[flight]
}

// A router knows routes.
type router interface {
	// hop returns link i of the route, the time that a head takes to the next link or to its
	// receiver, and whether this link is the last.
	hop(src, dst, i int) (link int, delay vtime.Time, last bool)
	name(link int) string
}

// A flight is a packet in flight.
type flight struct {
	src, dst, bytes, hops int
	to                    vtime.Actor
	op                    int
	arg                   uint64
}

func newFlow(k *vtime.Kernel, name string, links int, route router) flow {
	f := flow{src: k.Source(name), k: k, links: make([]medium.Stage, links), route: route}
	for i := range f.links {
		f.links[i].Source = k.Source(route.name(i))
	}
	return f
}

// Send starts a packet.
func (f *flow) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	f.Act(0, f.flights.Put(flight{src, dst, bytes, 0, to, op, arg}))
}

// Act has the head of a packet request its next link.
func (f *flow) Act(_ int, arg uint64) {
	p := f.flights.At(arg)
	at, delay, last := f.route.hop(p.src, p.dst, p.hops)
	passing := f.perByte.Time(p.bytes)
	held := passing
	if p.hops == 0 || last {
		held = max(held, f.gap) // the gap is that of a rank's NIC
	}
	p.hops++
	begin := f.links[at].Take(f.k.Now(), held)
	if !last {
		f.src.At(begin+delay, f, 0, arg)
		return
	}
	end := f.flights.Take(arg)
	f.src.At(begin+delay+passing, end.to, end.op, end.arg)
}

// Links returns for what part of the time each link was in use.
func (f *flow) Links(end vtime.Time) []medium.Link {
	all := make([]medium.Link, len(f.links))
	for i := range f.links {
		all[i] = medium.Link{Name: f.route.name(i), Used: f.links[i].Utilisation(end)}
	}
	return all
}
