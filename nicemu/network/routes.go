package network

import (
	"fmt"
	"slices"

	"gonum.org/v1/gonum/graph"
	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/traverse"
)

// A Method is how a packet's virtual channel changes at a switch (martini,
// section 1.3). Packets enter on channel 0.
type Method int

// The methods, in the order of the choices of network.method.
const (
	Reduced Method = iota // switches with three or more links to switches raise it
	Full                  // every switch raises it
	Flat                  // none does: can deadlock
)

// Routes are fixed shortest routes from every switch to every host, and the places where packets
// change their virtual channel. A packet keeps its channel on the link to its host: no other link
// depends on that link, and so a route may pass as many raising switches as there are channels.
type Routes struct {
	t      *Topology
	next   [][]int32 // by switch and host: the link to take
	raises []bool    // by switch: on links to switches
	host   []int     // the link of every host
}

// NewRoutes computes the routes of a topology that passes Check.
func NewRoutes(t *Topology, m Method) *Routes {
	links, hosts := t.at()
	r := &Routes{t: t, next: make([][]int32, len(t.Switches)), raises: raising(t, links, m), host: hosts}
	for s := range r.next {
		r.next[s] = make([]int32, len(t.Hosts))
	}
	g := switchGraph(t)
	from := map[int][]int{} // distances to a switch, by switch
	for h, l := range hosts {
		end := t.Links[l].other(Node{false, h})
		if !end.Switch {
			continue // back to back
		}
		if from[end.Index] == nil {
			from[end.Index] = distances(g, end.Index, len(t.Switches))
		}
		for s := range r.next {
			r.next[s][h] = int32(choose(t, links[s], s, h, l, from[end.Index]))
		}
	}
	return r
}

// switchGraph is the graph of switches.
func switchGraph(t *Topology) graph.Graph {
	g := simple.NewUndirectedGraph()
	for s := range t.Switches {
		g.AddNode(simple.Node(s))
	}
	for _, l := range t.Links {
		if l.between() {
			g.SetEdge(g.NewEdge(simple.Node(l.A.Index), simple.Node(l.B.Index)))
		}
	}
	return g
}

// distances returns the number of links from every switch to one.
func distances(g graph.Graph, to, n int) []int {
	d := make([]int, n)
	var walk traverse.BreadthFirst
	walk.Walk(g, simple.Node(to), func(s graph.Node, depth int) bool {
		d[s.ID()] = depth
		return false
	})
	return d
}

// choose returns the link from switch s to host h, whose own link is last. Among equally short
// routes the number of the host decides, so that traffic to different hosts is spread.
func choose(t *Topology, links []int, s, h, last int, d []int) int {
	var equal []int
	for _, i := range links {
		l := t.Links[i]
		if i == last {
			return i
		}
		if l.between() && d[l.other(Node{true, s}).Index] == d[s]-1 {
			equal = append(equal, i)
		}
	}
	return equal[h%len(equal)]
}

// raising returns which switches raise the channel.
func raising(t *Topology, links [][]int, m Method) []bool {
	raises := make([]bool, len(t.Switches))
	if m == Flat {
		return raises
	}
	between := 0
	for s, list := range links {
		n := 0
		for _, i := range list {
			if t.Links[i].between() {
				n++
			}
		}
		between += n
		raises[s] = m == Full || n >= 3
	}
	// If all switches have one or two neighbours, and there are as many links as switches, it is a
	// ring, in which one switch must raise. The specification leaves open which.
	if between/2 == len(t.Switches) && !slices.Contains(raises, true) && len(raises) > 0 {
		raises[0] = true
	}
	return raises
}

// A hop is a step of a packet's route out of a node: a link, from one of its ends, on a channel.
type hop struct {
	link    int
	from    Node
	channel int
}

// step returns the hop that follows in at the switch where in ends.
func (r *Routes) step(in hop, host int) hop {
	s := r.t.Links[in.link].other(in.from)
	out := hop{int(r.next[s.Index][host]), s, in.channel}
	if r.raises[s.Index] && r.t.Links[out.link].between() {
		out.channel++
	}
	return out
}

// walk calls visit for each hop from one host to another.
func (r *Routes) walk(src, dst int, visit func(hop)) {
	h := hop{r.host[src], Node{false, src}, 0}
	visit(h)
	for h.link != r.host[dst] {
		h = r.step(h, dst)
		visit(h)
	}
}

// Way returns the names of the nodes on the route from one host to another.
func (r *Routes) Way(src, dst int) []string {
	names := []string{r.t.Hosts[src]}
	r.walk(src, dst, func(h hop) { names = append(names, r.t.Name(r.t.Links[h.link].other(h.from))) })
	return names
}

// sources returns one host of every switch that has hosts: the routes of all hosts of a switch are
// the same from there on.
func (r *Routes) sources() (list []int) {
	seen := map[Node]bool{}
	for h, l := range r.host {
		if end := r.t.Links[l].other(Node{false, h}); !seen[end] {
			seen[end] = true
			list = append(list, h)
		}
	}
	return list
}

// each calls visit for each hop of enough routes to see every hop of all routes, and begin before
// each route.
func (r *Routes) each(begin func(src, dst int), visit func(hop)) {
	for _, src := range r.sources() {
		for dst := range r.host {
			if dst != src {
				begin(src, dst)
				r.walk(src, dst, visit)
			}
		}
	}
}

// Channels returns the number of virtual channels that the routes need.
func (r *Routes) Channels() int {
	most := 0
	r.each(func(int, int) {}, func(h hop) { most = max(most, h.channel) })
	return most + 1
}

// CheckChannels returns an error if a route needs more than n virtual channels.
func (r *Routes) CheckChannels(n int) error {
	var err error
	src, dst := 0, 0
	r.each(func(s, d int) { src, dst = s, d }, func(h hop) {
		if h.channel >= n && err == nil {
			err = fmt.Errorf("%w: the route from %s to %s needs %d virtual channels, and switch.channels is %d",
				ErrTopology, r.t.Hosts[src], r.t.Hosts[dst], r.Channels(), n)
		}
	})
	return err
}
