package stepped

import (
	"errors"

	"rhinet/nicemu/tofu"
)

// A Machine is the NICs of all nodes of a job and the links between them.
type Machine struct {
	// Trace, if not nil, is called for every transition.
	Trace func(Event)

	torus *tofu.Torus
	nodes []*node
	links [][tofu.NetworkPorts][]*packet // by place in the mesh
	steps int
}

// An Event is a transition of a module.
type Event struct {
	Step     int
	Node     int
	Module   Module
	Number   int // of the injection port
	From, To State
	Why      string
}

// A node is the NIC of one rank.
type node struct {
	machine  *Machine
	number   int
	hw       *tofu.Hardware
	ports    [tofu.InjectionPorts]port
	receiver receiver
}

// New returns the machine of a job: the NICs of all its ranks, in order.
func New(nics []*tofu.Hardware) (*Machine, error) {
	if len(nics) == 0 || len(nics) != nics[0].Ranks() {
		return nil, errors.New("stepped: a machine has the NICs of all ranks of a job")
	}
	m := &Machine{torus: nics[0].Torus()}
	m.links = make([][tofu.NetworkPorts][]*packet, m.torus.Places())
	for i, hw := range nics {
		n := &node{machine: m, number: i, hw: hw}
		n.receiver = receiver{node: n, under: map[*posted]*arrival{}}
		for id := range n.ports {
			n.ports[id].node, n.ports[id].id = n, id
		}
		m.nodes = append(m.nodes, n)
	}
	return m, nil
}

// A Pending is a posted order; the zero value is complete.
type Pending struct{ order *posted }

// Done reports whether the order is complete. If so, refused says why it was refused, or is nil,
// and seen is the old value of a Swap.
func (p Pending) Done() (seen uint64, refused error, done bool) {
	if p.order == nil {
		return 0, nil, true
	}
	if o := p.order; o.done && o.why != 0 {
		return 0, o.why, true
	}
	return p.order.seen, nil, p.order.done
}

// Post posts an order at a port of a node. The order's memory is lent until the order is complete.
func (m *Machine) Post(rank, id int, o tofu.Order) Pending {
	p := &m.nodes[rank].ports[id]
	order := &posted{Order: o, port: p}
	p.orders = append(p.orders, order)
	return Pending{order}
}

// Run steps until there is nothing to do, and returns the number of steps.
func (m *Machine) Run() (steps int) {
	for m.busy() {
		m.Step()
		steps++
	}
	return steps
}

// Step has every module do the work of its state.
func (m *Machine) Step() {
	m.steps++
	for _, n := range m.nodes {
		n.receiver.step()
	}
	m.route()
	for _, n := range m.nodes {
		for i := range n.ports {
			n.ports[i].step()
		}
	}
}

// route moves the first packet of each network port over one link.
func (m *Machine) route() {
	type hop struct {
		k    *packet
		next int
	}
	var hops []hop
	for place := range m.links {
		for exit := range m.links[place] {
			queue := &m.links[place][exit]
			if len(*queue) == 0 {
				continue
			}
			k := (*queue)[0]
			*queue = (*queue)[1:]
			_, next := m.torus.Next(place, k.to)
			hops = append(hops, hop{k, next})
		}
	}
	for _, h := range hops {
		m.forward(h.next, h.k)
	}
}

// forward puts a packet at a place into the network port by which it leaves or, if it is at its
// destination, hands it over.
func (m *Machine) forward(place int, k *packet) {
	exit, _ := m.torus.Next(place, k.to)
	switch {
	case exit >= 0:
		m.links[place][exit] = append(m.links[place][exit], k)
	case k.answer:
		k.order.port.answers = append(k.order.port.answers, k)
	default:
		r := &m.nodes[k.to].receiver
		r.come = append(r.come, k)
	}
}

// busy reports whether an order is not complete.
func (m *Machine) busy() bool {
	for _, n := range m.nodes {
		for i := range n.ports {
			if n.ports[i].state != Idle || len(n.ports[i].orders) > 0 {
				return true
			}
		}
	}
	return false
}

// tell reports a transition, which must be in the table.
func (m *Machine) tell(n *node, module Module, number int, from, to State) {
	text := why(module, from, to)
	if m.Trace != nil {
		m.Trace(Event{m.steps, n.number, module, number, from, to, text})
	}
}
