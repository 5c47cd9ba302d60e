package stepped

import (
	"math/bits"

	"rhinet/nicemu/cenju4"
)

// A network is the switches: each has a FIFO memory for each input and output, which holds one
// packet, and a synchronization table.
type network struct {
	machine *Machine
	form    *cenju4.Network
	fifos   [][][cenju4.Ports]*packet // by stage and line: by output
	turns   [][][cenju4.Ports]int     // by stage and switch: the input that an output has served last
	tables  map[entryOf]uint64        // inputs whose packets have arrived
	syncs   []syncPacket              // in flight
	moving  int
}

// An entryOf identifies an entry of a synchronization table.
type entryOf struct{ stage, number, sid int }

type syncPacket struct {
	stage, line, sid int
	members          []int
}

func newNetwork(m *Machine) *network {
	n := &network{machine: m, form: cenju4.NewNetwork(len(m.nodes)), tables: map[entryOf]uint64{}}
	for range n.form.Stages() {
		n.fifos = append(n.fifos, make([][cenju4.Ports]*packet, n.form.Lines()))
		n.turns = append(n.turns, make([][cenju4.Ports]int, n.form.Lines()/cenju4.Ports))
	}
	return n
}

// free reports whether all FIFO memories for a packet on a line are free.
func (n *network) free(stage, line int, to []int) bool {
	if stage == n.form.Stages() {
		return line >= len(n.machine.nodes) || n.machine.nodes[line].receiver.fifo == nil
	}
	for ports := n.form.PortBits(stage, line, to); ports != 0; ports &= ports - 1 {
		if n.fifos[stage][line][bits.TrailingZeros64(ports)] != nil {
			return false
		}
	}
	return true
}

// enter writes a packet of a node into the first switches, by its port bits.
func (n *network) enter(line int, k *packet) { n.put(0, line, k) }

// put writes a packet on a line into the FIFO memories of a stage, or hands it to the node.
func (n *network) put(stage, line int, k *packet) {
	if stage == n.form.Stages() {
		if line >= len(n.machine.nodes) { // a set may name nodes that do not exist
			k.refuse(line, cenju4.NoNode)
			if k.last {
				k.home.hw.CountRefused(cenju4.NoNode, false)
				k.settle()
			}
			return
		}
		n.machine.nodes[line].receiver.fifo = k
		n.moving++
		return
	}
	for ports := n.form.PortBits(stage, line, k.to); ports != 0; ports &= ports - 1 {
		n.fifos[stage][line][bits.TrailingZeros64(ports)] = k
		n.moving++
	}
}

// step moves packets, from the last stage to the first, and synchronization packets.
func (n *network) step() {
	if n.moving == 0 {
		return
	}
	n.meet()
	for stage := n.form.Stages() - 1; stage >= 0; stage-- {
		n.stage(stage)
	}
}

// stage has each output of each switch serve one of its FIFO memories.
func (n *network) stage(stage int) {
	for line := range n.fifos[stage] {
		if n.form.Port(stage, line) != 0 {
			continue // its switch is handled with its first line
		}
		number := n.form.Switch(stage, line)
		for output := range cenju4.Ports {
			n.output(stage, line, output, &n.turns[stage][number][output])
		}
	}
}

func (n *network) output(stage, line, output int, turn *int) {
	out := n.form.Next(stage, line, output)
	for i := range cenju4.Ports {
		input := (*turn + 1 + i) % cenju4.Ports
		fifo := &n.fifos[stage][n.form.Next(stage, line, input)][output]
		if *fifo == nil || !n.free(stage+1, out, (*fifo).to) {
			continue
		}
		*turn = input
		n.put(stage+1, out, *fifo)
		*fifo = nil
		n.moving--
		return
	}
}

// sync takes a synchronization packet on a line into a switch.
func (n *network) sync(stage, line, sid int, members []int) {
	n.syncs = append(n.syncs, syncPacket{stage, line, sid, members})
	n.moving++
}

// meet records each synchronization packet in the table of its switch. When packets have arrived
// from all inputs by which members can reach the switch, one leaves by each output that leads to a
// member.
func (n *network) meet() {
	all := n.syncs
	n.syncs = nil
	for _, k := range all {
		n.moving--
		if k.stage == n.form.Stages() {
			*n.machine.nodes[k.line].hw.SyncsArrived(k.sid)++
			continue
		}
		at := entryOf{k.stage, n.form.Switch(k.stage, k.line), k.sid}
		n.tables[at] |= 1 << n.form.Port(k.stage, k.line)
		for input := range cenju4.Ports {
			if n.form.Expected(k.stage, n.form.Next(k.stage, k.line, input), k.members) && n.tables[at]>>input&1 == 0 {
				at.stage = -1
			}
		}
		if at.stage < 0 {
			continue
		}
		delete(n.tables, at)
		for ports := n.form.PortBits(k.stage, k.line, k.members); ports != 0; ports &= ports - 1 {
			n.sync(k.stage+1, n.form.Next(k.stage, k.line, bits.TrailingZeros64(ports)), k.sid, k.members)
		}
	}
}
