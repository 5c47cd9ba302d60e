package stepped

import (
	"errors"

	"rhinet/nicemu/cenju4"
)

// A Machine is the NICs of all nodes of a job and the network between them.
type Machine struct {
	// Trace, if not nil, is called for every transition.
	Trace func(Event)

	nodes   []*node
	network *network
	steps   int
}

// An Event is a transition of a module.
type Event struct {
	Step     int
	Node     int
	Module   Module
	From, To State
	Why      string
}

// A node is the NIC of one rank.
type node struct {
	machine  *Machine
	number   int
	hw       *cenju4.Hardware
	rhm      rhm
	spm      spm
	receiver receiver
}

// New returns the machine of a job: the NICs of all its ranks, in order.
func New(nics []*cenju4.Hardware) (*Machine, error) {
	if len(nics) == 0 || len(nics) != nics[0].Ranks() {
		return nil, errors.New("stepped: a machine has the NICs of all ranks of a job")
	}
	m := &Machine{}
	for i, hw := range nics {
		n := &node{machine: m, number: i, hw: hw}
		n.rhm.node = n
		n.spm = spm{node: n, tlb: tlb{hw: hw}}
		n.receiver = receiver{node: n, tlb: tlb{hw: hw}}
		m.nodes = append(m.nodes, n)
	}
	m.network = newNetwork(m)
	return m, nil
}

// A Pending is a posted parcel.
type Pending struct{ *posted }

// Done reports whether the parcel is complete. If so, refused says why it was refused, or is nil;
// for a multicast it is the reason of the node with the lowest number that refused it.
func (p Pending) Done() (refused error, done bool) {
	first := -1
	for at := range p.refused {
		if first < 0 || at < first {
			first = at
		}
	}
	if first < 0 {
		return nil, p.done
	}
	return p.refused[first], p.done
}

// Post posts a parcel at a node. lent is lent until the parcel is complete.
func (m *Machine) Post(rank int, p cenju4.Parcel, lent []byte) Pending {
	n := m.nodes[rank]
	it := &posted{lent: lent, home: n}
	n.rhm.user = append(n.rhm.user, entry{n.hw.Enqueue(&p), it})
	return Pending{it}
}

// Run steps until there is nothing to do, and returns the number of steps. Synchronizations that
// not all members have sent stay in the switches.
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
	m.network.step()
	for _, n := range m.nodes {
		n.spm.step()
	}
	for _, n := range m.nodes {
		n.rhm.step()
	}
}

// busy reports whether a module has work.
func (m *Machine) busy() bool {
	if m.network.moving > 0 {
		return true
	}
	for _, n := range m.nodes {
		if n.rhm.busy() || n.spm.busy() || n.receiver.busy() {
			return true
		}
	}
	return false
}

// Block stops the Receiver of a node from taking packets, or lets it continue.
func (m *Machine) Block(rank int, on bool) { m.nodes[rank].receiver.blocked = on }

// Waiting returns the highest number of headers that have waited in the remote-read header queue of
// a node.
func (m *Machine) Waiting(rank int) int { return m.nodes[rank].rhm.most }

// Misses returns the numbers of TLB misses of a node's Sender and Receiver.
func (m *Machine) Misses(rank int) (sender, receiver int) {
	return m.nodes[rank].spm.tlb.misses, m.nodes[rank].receiver.tlb.misses
}

// tell reports a transition, which must be in the table.
func (n *node) tell(module Module, from, to State) {
	text := why(module, from, to)
	if n.machine.Trace != nil {
		n.machine.Trace(Event{n.machine.steps, n.number, module, from, to, text})
	}
}
