package cenju4

import (
	"fmt"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/vtime"
)

// A pass is what all nodes do at the same time, from time 0 on: each posts its parcels one after the other,
// and is done when it has received the wanted number.
type pass struct {
	m     *timed.Machine
	c     costs
	came  []int
	want  int
	ended int
	last  vtime.Time
	err   error
}

func (p *Plan) pass(nodes, want int) (*pass, error) {
	m, err := p.machine(nodes)
	if err != nil {
		return nil, err
	}
	x := &pass{m: m, c: p.costs(), came: make([]int, nodes), want: want}
	m.Arrived = func(node int, _ *timed.Parcel) {
		if x.came[node]++; x.came[node] == x.want {
			x.ended++
			x.last = m.Now() + x.c.receive
		}
	}
	return x, nil
}

// post has a node post parcels, each as soon as the software has prepared it.
func (x *pass) post(node, parcels int, parcel func(i int) timed.Parcel) {
	var next func(i int)
	next = func(i int) {
		p := parcel(i)
		p.From = node
		if err := x.m.Post(p); err != nil && x.err == nil {
			x.err = err
		}
		if i+1 < parcels {
			x.m.After(x.c.again, func() { next(i + 1) })
		}
	}
	if parcels > 0 {
		x.m.After(x.c.send, func() { next(0) })
	}
}

// run returns when the last node has received everything.
func (x *pass) run(name string) (vtime.Time, error) {
	if err := x.m.Run(); err != nil || x.err != nil {
		return 0, fmt.Errorf("%s: %w", name, firstOf(x.err, err))
	}
	if x.ended != len(x.came) {
		return 0, fmt.Errorf("%s: %d of %d nodes have all", name, x.ended, len(x.came))
	}
	return x.last, nil
}

// groups returns all nodes in groups of 64, which one multicast can reach.
func groups(nodes int) (all [][]int) {
	for first := 0; first < nodes; first += cenju4.GroupNodes {
		var g []int
		for i := first; i < min(nodes, first+cenju4.GroupNodes); i++ {
			g = append(g, i)
		}
		all = append(all, g)
	}
	return all
}

// all is experiment 4: A every node sends in the order 0, 1, ...; B node i sends in the order i+1, i+2,
// ...; C one multicast for each group of 64 nodes. By our choice the figure is what each node has received,
// over the time until all nodes have everything.
func (p *Plan) all(report func(Row)) error {
	for _, nodes := range p.Nodes {
		for _, bytes := range p.Sizes {
			for _, way := range []string{"A", "B", "C"} {
				x, err := p.pass(nodes, nodes)
				if err != nil {
					return err
				}
				for node := range nodes {
					x.exchange(way, node, nodes, timed.Parcel{Protocol: cenju4.RemoteDMA, Bytes: bytes})
				}
				took, err := x.run("N-to-N " + way)
				if err != nil {
					return err
				}
				r := p.row(way, nodes, bytes, took)
				r.Rate *= float64(nodes)
				report(r)
			}
		}
	}
	return nil
}

// exchange has a node send a parcel to all nodes.
func (x *pass) exchange(way string, node, nodes int, p timed.Parcel) {
	if way == "C" {
		to := groups(nodes)
		x.post(node, len(to), func(i int) timed.Parcel { p.To = to[i]; return p })
		return
	}
	first := 0
	if way == "B" {
		first = node + 1
	}
	x.post(node, nodes, func(i int) timed.Parcel { p.To = []int{(first + i) % nodes}; return p })
}
