package network

import (
	"errors"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/gonum/graph/simple"
	"gonum.org/v1/gonum/graph/topo"
)

// ErrDeadlock is wrapped by errors about routes that can deadlock.
var ErrDeadlock = errors.New("network: the routes can deadlock")

// CheckDeadlock proves that the routes cannot deadlock, or returns a cycle. A packet that holds a
// virtual channel of a link may wait for the next one on its route; if the graph of these
// dependencies has no cycle, some packet can always move, and the network drains.
func (r *Routes) CheckDeadlock() error {
	g := simple.NewDirectedGraph()
	ids := map[hop]int64{}
	var hops []hop
	id := func(h hop) int64 {
		n, there := ids[h]
		if !there {
			n = int64(len(hops))
			ids[h] = n
			hops = append(hops, h)
			g.AddNode(simple.Node(n))
		}
		return n
	}
	before := int64(-1)
	r.each(func(int, int) { before = -1 }, func(h hop) {
		n := id(h)
		if before >= 0 && !g.HasEdgeFromTo(before, n) {
			g.SetEdge(g.NewEdge(simple.Node(before), simple.Node(n)))
		}
		before = n
	})
	if _, err := topo.Sort(g); err == nil {
		return nil
	}
	return fmt.Errorf("%w: %s", ErrDeadlock, r.cycle(g, hops))
}

// cycle describes the links of the first cycle of dependencies.
func (r *Routes) cycle(g *simple.DirectedGraph, hops []hop) string {
	var knots [][]int64
	for _, part := range topo.TarjanSCC(g) {
		if len(part) > 1 {
			var knot []int64
			for _, n := range part {
				knot = append(knot, n.ID())
			}
			slices.Sort(knot)
			knots = append(knots, knot)
		}
	}
	slices.SortFunc(knots, slices.Compare)
	var names []string
	for _, n := range knots[0] {
		h := hops[n]
		names = append(names, fmt.Sprintf("%s to %s on channel %d", r.t.Name(h.from), r.t.Name(r.t.Links[h.link].other(h.from)), h.channel))
	}
	return "each of these links can wait for another of them: " + strings.Join(names, ", ")
}
