package loggp

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/vtime"
)

// A flow moves packets over links.
type flow struct {
	src     vtime.Source
	k       *vtime.Kernel
	links   []link
	gap     vtime.Time  // least time between the beginnings of two packets at a rank
	perByte medium.Rate // of a link
	route   router
	flights []flight
	free    []uint32 // numbers of flights that are over
}

// A router knows ways.
type router interface {
	// hop returns link i of the way, how long a head takes to the next link, or to
	// its receiver, and whether that is the last.
	hop(src, dst, i int) (link int, delay vtime.Time, last bool)
	name(link int) string
}

// A link is had by one packet at a time.
type link struct {
	until vtime.Time // it is free from then on
	used  vtime.Time
}

// A flight is a packet under way.
type flight struct {
	src, dst, bytes, hops int
	to                    vtime.Actor
	op                    int
	arg                   uint64
}

func newFlow(k *vtime.Kernel, name string, links int, route router) flow {
	return flow{src: k.Source(name), k: k, links: make([]link, links), route: route}
}

// Send starts a packet.
func (f *flow) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	i := f.take()
	f.flights[i] = flight{src, dst, bytes, 0, to, op, arg}
	f.Act(0, uint64(i))
}

func (f *flow) take() uint32 {
	if n := len(f.free); n > 0 {
		i := f.free[n-1]
		f.free = f.free[:n-1]
		return i
	}
	f.flights = append(f.flights, flight{})
	return uint32(len(f.flights) - 1)
}

// Act has the head of a packet ask for its next link.
func (f *flow) Act(_ int, arg uint64) {
	p := &f.flights[arg]
	at, delay, last := f.route.hop(p.src, p.dst, p.hops)
	l := &f.links[at]
	begin := max(f.k.Now(), l.until)
	passing := f.perByte.Time(p.bytes)
	held := passing
	if p.hops == 0 || last {
		held = max(held, f.gap) // the gap is that of a rank's NIC
	}
	p.hops++
	l.until = begin + held
	l.used += held
	if !last {
		f.src.At(begin+delay, f, 0, arg)
		return
	}
	f.free = append(f.free, uint32(arg))
	f.src.At(begin+delay+passing, p.to, p.op, p.arg)
}

// Links tells how much of the time each link was in use.
func (f *flow) Links(end vtime.Time) []medium.Link {
	all := make([]medium.Link, len(f.links))
	for i, l := range f.links {
		all[i].Name = f.route.name(i)
		if end > 0 {
			all[i].Used = min(1, float64(l.used)/float64(end))
		}
	}
	return all
}
