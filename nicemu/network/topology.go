package network

import (
	"errors"
	"fmt"
)

// ErrTopology is wrapped by errors about invalid networks.
var ErrTopology = errors.New("network: bad topology")

// A Node is a host or a switch, by its number among the hosts or the switches.
type Node struct {
	Switch bool
	Index  int
}

// A Link joins two nodes, in both directions.
type Link struct {
	A, B   Node
	Metres float64 // 0: link.length of the parameters
}

// A Topology lists nodes and the links between them.
type Topology struct {
	Hosts, Switches []string // names
	Links           []Link
}

// Name returns the name of a node.
func (t *Topology) Name(n Node) string {
	if n.Switch {
		return t.Switches[n.Index]
	}
	return t.Hosts[n.Index]
}

// LinkName returns the names of the link's ends.
func (t *Topology) LinkName(i int) string {
	return t.Name(t.Links[i].A) + "-" + t.Name(t.Links[i].B)
}

// other returns the end of l that is not n.
func (l Link) other(n Node) Node {
	if l.A == n {
		return l.B
	}
	return l.A
}

// between reports whether the link joins two switches.
func (l Link) between() bool { return l.A.Switch && l.B.Switch }

// at returns the links of every switch and the link of every host, in the order
// of the links. A host without one has -1.
func (t *Topology) at() (switches [][]int, hosts []int) {
	switches, hosts = make([][]int, len(t.Switches)), make([]int, len(t.Hosts))
	for i := range hosts {
		hosts[i] = -1
	}
	for i, l := range t.Links {
		for _, n := range [2]Node{l.A, l.B} {
			if n.Switch {
				switches[n.Index] = append(switches[n.Index], i)
			} else {
				hosts[n.Index] = i
			}
		}
	}
	return switches, hosts
}

// Check returns an error if t is invalid for switches with a number of ports: hosts must have one
// link each, no node may be linked to itself, and all nodes must be connected.
func (t *Topology) Check(ports int) error {
	if len(t.Hosts) < 2 {
		return fmt.Errorf("%w: %d hosts; a network has at least two", ErrTopology, len(t.Hosts))
	}
	degree := map[Node]int{}
	for _, l := range t.Links {
		if l.A == l.B {
			return fmt.Errorf("%w: %s is linked to itself", ErrTopology, t.Name(l.A))
		}
		degree[l.A]++
		degree[l.B]++
	}
	for i, name := range t.Hosts {
		if d := degree[Node{false, i}]; d != 1 {
			return fmt.Errorf("%w: host %s has %d links; it needs exactly one", ErrTopology, name, d)
		}
	}
	for i, name := range t.Switches {
		if d := degree[Node{true, i}]; d > ports {
			return fmt.Errorf("%w: switch %s has %d links and %d ports", ErrTopology, name, d, ports)
		}
	}
	return t.joined()
}

// joined returns an error if there is a host that the first one cannot reach.
func (t *Topology) joined() error {
	next := map[Node][]Node{}
	for _, l := range t.Links {
		next[l.A] = append(next[l.A], l.B)
		next[l.B] = append(next[l.B], l.A)
	}
	seen := map[Node]bool{{}: true}
	for list := []Node{{}}; len(list) > 0; {
		n := list[0]
		list = list[1:]
		for _, m := range next[n] {
			if !seen[m] {
				seen[m] = true
				list = append(list, m)
			}
		}
	}
	for i, name := range t.Hosts {
		if !seen[Node{false, i}] {
			return fmt.Errorf("%w: no way from host %s to host %s", ErrTopology, t.Hosts[0], name)
		}
	}
	for i, name := range t.Switches {
		if !seen[Node{true, i}] {
			return fmt.Errorf("%w: no way from host %s to switch %s", ErrTopology, t.Hosts[0], name)
		}
	}
	return nil
}
