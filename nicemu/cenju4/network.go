package cenju4

import "slices"

// A Network is the multistage network: stages of 4x4 switches, in each of which a packet's line
// gets another digit of its destination, from the first one on (cenju4, section 2.1). It knows where packets go; what carries them is the
// business of others.
type Network struct {
	nodes, stages int
}

// Ports is how many inputs a switch has, and outputs.
const Ports = 4

// NewNetwork returns the network of so many nodes: 2 stages for each level of boards, of 16 lines
// to the power of the level.
func NewNetwork(nodes int) *Network { return NewNetworkOf(nodes, 2) }

// NewNetworkOf returns that of levels of so many stages.
func NewNetworkOf(nodes, level int) *Network {
	n := &Network{nodes: nodes, stages: level}
	for n.Lines() < nodes {
		n.stages += level
	}
	return n
}

// Stages returns how many switches a packet passes.
func (n *Network) Stages() int { return n.stages }

// Nodes returns how many nodes there are.
func (n *Network) Nodes() int { return n.nodes }

// Lines returns how many lines lead into each stage.
func (n *Network) Lines() int { return 1 << (2 * n.stages) }

// shift is the place of the digit that a stage sets.
func (n *Network) shift(stage int) int { return 2 * (n.stages - 1 - stage) }

// Port returns the input port at which a line enters a switch of a stage, and for a destination the output
// port.
func (n *Network) Port(stage, line int) int { return line >> n.shift(stage) & (Ports - 1) }

// Switch returns the number, within its stage, of the switch that a line enters.
func (n *Network) Switch(stage, line int) int {
	low := line & (1<<n.shift(stage) - 1)
	return line>>(n.shift(stage)+2)<<n.shift(stage) | low
}

// Next returns the line on which a packet that entered by one leaves by a port.
func (n *Network) Next(stage, line, port int) int {
	return line&^((Ports-1)<<n.shift(stage)) | port<<n.shift(stage)
}

// PortBits returns by which ports a packet on a line leaves a stage: those that lead to one of its destinations.
func (n *Network) PortBits(stage, line int, to []int) (bits uint8) {
	above := n.shift(stage) + 2
	for _, node := range to {
		if node>>above == line>>above {
			bits |= 1 << n.Port(stage, node)
		}
	}
	return bits
}

// Expected reports whether a synchronization packet of one of the members can enter a stage by a line.
func (n *Network) Expected(stage, line int, members []int) bool {
	mask := 1<<(n.shift(stage)+2) - 1
	return slices.ContainsFunc(members, func(m int) bool { return m&mask == line&mask })
}

// Nodes returns the nodes of a set, in order.
func (s Set) Nodes() (nodes []int) {
	for i := range GroupNodes {
		if s.Members>>i&1 != 0 {
			nodes = append(nodes, s.Group*GroupNodes+i)
		}
	}
	return nodes
}
