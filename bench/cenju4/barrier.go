package cenju4

import (
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/cenju4/timed"
	"rhinet/nicemu/vtime"
)

// barriers is experiment 5: A each node singlecasts to all; B a binary tree up, and down again; C each node
// sends an atomic add to all; D each node sends a multicast atomic add to each group of 64 nodes; E each
// node sends one synchronization packet, up to 64 nodes.
func (p *Plan) barriers(report func(Row)) error {
	for _, nodes := range p.Nodes {
		for _, b := range []struct {
			name string
			run  func(p *Plan, nodes int) (vtime.Time, error)
		}{
			{"A", flags}, {"B", tree}, {"C", adds("B")}, {"D", adds("C")}, {"E", packets},
		} {
			if b.name == "E" && nodes > cenju4.GroupNodes {
				continue
			}
			took, err := b.run(p, nodes)
			if err != nil {
				return err
			}
			report(p.row(b.name, nodes, 0, took))
		}
	}
	return nil
}

// flags: each node writes a word at each node.
func flags(p *Plan, nodes int) (vtime.Time, error) {
	return p.toAll(nodes, "B", timed.Parcel{Protocol: cenju4.RemoteDMA, Flags: cenju4.Inline, Bytes: 8})
}

// adds: each node adds 1 to the counter of each node.
func adds(way string) func(p *Plan, nodes int) (vtime.Time, error) {
	return func(p *Plan, nodes int) (vtime.Time, error) {
		return p.toAll(nodes, way, timed.Parcel{Protocol: cenju4.AtomicAdd, Bytes: 8})
	}
}

func (p *Plan) toAll(nodes int, way string, parcel timed.Parcel) (vtime.Time, error) {
	x, err := p.pass(nodes, nodes)
	if err != nil {
		return 0, err
	}
	for node := range nodes {
		x.exchange(way, node, nodes, parcel)
	}
	return x.run("barrier")
}

// packets: each node sends one synchronization packet and receives one.
func packets(p *Plan, nodes int) (vtime.Time, error) {
	x, err := p.pass(nodes, 1)
	if err != nil {
		return 0, err
	}
	members := groups(nodes)[0]
	for node := range nodes {
		x.post(node, 1, func(int) timed.Parcel { return timed.Parcel{To: members, Sync: true} })
	}
	return x.run("barrier")
}

// tree: a node that has heard from both children tells its parent; the root tells its children, which tell
// theirs.
func tree(p *Plan, nodes int) (vtime.Time, error) {
	x, err := p.pass(nodes, 0)
	if err != nil {
		return 0, err
	}
	children := func(node int) (all []int) {
		for _, c := range []int{2*node + 1, 2*node + 2} {
			if c < nodes {
				all = append(all, c)
			}
		}
		return all
	}
	word := timed.Parcel{Protocol: cenju4.RemoteDMA, Flags: cenju4.Inline, Bytes: 8}
	tell := func(node int, to []int) {
		x.post(node, len(to), func(i int) timed.Parcel { q := word; q.To = []int{to[i]}; return q })
	}
	end := func(node int) {
		x.ended++
		x.last = max(x.last, x.m.Now())
		tell(node, children(node))
	}
	ready := func(node int) {
		if node == 0 {
			end(0)
			return
		}
		tell(node, []int{(node - 1) / 2})
	}
	x.m.Arrived = func(node int, q *timed.Parcel) {
		x.m.After(x.c.receive, func() {
			if node != 0 && q.From == (node-1)/2 {
				end(node)
				return
			}
			if x.came[node]++; x.came[node] == len(children(node)) {
				ready(node)
			}
		})
	}
	for node := range nodes {
		if len(children(node)) == 0 {
			x.m.After(0, func() { ready(node) })
		}
	}
	return x.run("barrier B")
}
