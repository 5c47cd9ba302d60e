package cenju4

import (
	"math/bits"
	"slices"
)

// A Network is the multistage network: stages of 4x4 switches, each of which sets another digit of
// a packet's line to that of its destination, from the first digit on (cenju4, section 2.1). It
// computes routes only; other packages carry packets.
type Network struct {
	nodes, stages int
	digit         int // number of bits of a line that select a port
}

// Ports is the number of inputs, and of outputs, of a switch. MostPorts is that of a switch that is
// the only one of a system.
const (
	Ports     = 4
	MostPorts = GroupNodes
)

// NewNetwork returns the network of the given number of nodes: 2 stages for each level of boards; n
// levels have 16^n lines.
func NewNetwork(nodes int) *Network { return NewNetworkOf(nodes, 2, Ports) }

// NewNetworkOf returns a network whose levels have so many stages, of switches with a number of
// ports: a power of 2, at most MostPorts.
func NewNetworkOf(nodes, level, ports int) *Network {
	n := &Network{nodes: nodes, stages: level, digit: bits.Len(uint(ports)) - 1}
	for n.Lines() < nodes {
		n.stages += level
	}
	return n
}

// Stages returns the number of switches that a packet passes.
func (n *Network) Stages() int { return n.stages }

// Nodes returns the number of nodes.
func (n *Network) Nodes() int { return n.nodes }

// Lines returns the number of lines into each stage.
func (n *Network) Lines() int { return 1 << (n.digit * n.stages) }

// Ports returns the number of inputs, and of outputs, of a switch.
func (n *Network) Ports() int { return 1 << n.digit }

// shift returns the bit position of the digit that a stage sets.
func (n *Network) shift(stage int) int { return n.digit * (n.stages - 1 - stage) }

// Port returns the input port of a line at a switch of a stage; for a destination, it returns the
// output port.
func (n *Network) Port(stage, line int) int { return line >> n.shift(stage) & (n.Ports() - 1) }

// Switch returns the number, within its stage, of the switch that a line enters.
func (n *Network) Switch(stage, line int) int {
	low := line & (1<<n.shift(stage) - 1)
	return line>>(n.shift(stage)+n.digit)<<n.shift(stage) | low
}

// Next returns the line on which a packet that has entered on a line leaves by a port.
func (n *Network) Next(stage, line, port int) int {
	return line&^((n.Ports()-1)<<n.shift(stage)) | port<<n.shift(stage)
}

// PortBits returns the ports by which a packet on a line leaves a stage: those that lead to one of
// its destinations.
func (n *Network) PortBits(stage, line int, to []int) (set uint64) {
	above := n.shift(stage) + n.digit
	for _, node := range to {
		if node>>above == line>>above {
			set |= 1 << n.Port(stage, node)
		}
	}
	return set
}

// Expected reports whether a synchronization packet of one of the members can enter a stage on a
// line.
func (n *Network) Expected(stage, line int, members []int) bool {
	mask := 1<<(n.shift(stage)+n.digit) - 1
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
