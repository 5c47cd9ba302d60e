package timed

import (
	"fmt"
	"math/bits"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/vtime"
)

// A flight is a packet in flight, or one copy of it.
type flight struct {
	job    *job
	bytes  int
	last   bool
	takes  vtime.Time // time from its head to its tail, given by the slowest part of its path
	head   vtime.Time // when its head arrived at its present place
	moving bool       // it is leaving
}

// A network is the switches. A FIFO memory holds one packet.
type network struct {
	m     *Machine
	form  *cenju4.Network
	src   vtime.Source
	fifos [][][]*flight // by stage, incoming line, and output port
	links [][]link      // by stage and outgoing line
	meets map[meeting]uint64
	table map[[2]int]vtime.Time // by stage and switch: when the synchronization table becomes free
}

// A link is an output of a switch.
type link struct {
	free vtime.Time
	used vtime.Time
	turn int // the input served last
	seen vtime.Source
}

func newNetwork(m *Machine, nodes, level, ports int) *network {
	n := &network{m: m, form: cenju4.NewNetworkOf(nodes, level, ports), src: m.k.Source("network"), meets: map[meeting]uint64{}, table: map[[2]int]vtime.Time{}}
	for range n.form.Stages() {
		fifos := make([][]*flight, n.form.Lines())
		for i := range fifos {
			fifos[i] = make([]*flight, ports)
		}
		n.fifos = append(n.fifos, fifos)
		links := make([]link, n.form.Lines())
		for line := range links {
			links[line].seen = m.k.Source(fmt.Sprintf("behind stage %d, line %d", len(n.links)+1, line))
		}
		n.links = append(n.links, links)
	}
	return n
}

// The events of the network; the argument is stage and line.
const (
	opHead   = iota // a head has arrived at a switch on a line
	opLink          // an output is free
	opTail          // a packet has left the FIFO memory of an input and output
	opSync          // a synchronization packet has arrived
	opMeet          // its switch has looked it up
	lineBits = 16
)

func place(stage, line int) uint64 { return uint64(stage)<<lineBits | uint64(line) }

// Act handles an event.
func (n *network) Act(op int, arg uint64) {
	stage, line := int(arg>>lineBits&0xff), int(arg&(1<<lineBits-1))
	switch op {
	case opHead:
		for port := range n.form.Ports() {
			n.serve(stage, n.form.Next(stage, line, port))
		}
	case opLink:
		n.serve(stage, line)
	case opTail:
		port := int(arg >> 32)
		n.fifos[stage][line][port] = nil
		if stage == 0 {
			n.m.nodes[line].sendable()
			return
		}
		n.serve(stage-1, line)
	default:
		n.sync(op, stage, line, int(arg>>32))
	}
}

// ports returns the output ports of a switch by which a packet leaves.
func (n *network) ports(stage, line int, j *job) uint64 { return n.form.PortBits(stage, line, j.to) }

// room reports whether there is room for a whole packet on a line; draining counts FIFO memories
// that a packet is leaving as free.
func (n *network) room(stage, line int, j *job, draining bool) bool {
	if stage == n.form.Stages() {
		return n.m.nodes[line].receiver.room()
	}
	for ports := n.ports(stage, line, j); ports != 0; ports &= ports - 1 {
		if f := n.fifos[stage][line][bits.TrailingZeros64(ports)]; f != nil && !(draining && f.moving) {
			return false
		}
	}
	return true
}

// enter puts a packet on a line; its head arrives at a time. There is room.
func (n *network) enter(stage, line int, f flight, head vtime.Time) {
	f.head, f.moving = head, false
	if stage == n.form.Stages() {
		n.m.nodes[line].receiver.enter(f)
		return
	}
	for ports := n.ports(stage, line, f.job); ports != 0; ports &= ports - 1 {
		c := f
		n.fifos[stage][line][bits.TrailingZeros64(ports)] = &c
	}
	n.src.At(head, n, opHead, place(stage, line))
}

// serve has an output of a switch take the next packet that can go, from the inputs in turn.
func (n *network) serve(stage, out int) {
	l, now := &n.links[stage][out], n.m.k.Now()
	if l.free > now {
		return // tried again when the output is free
	}
	port := n.form.Port(stage, out)
	inputs := n.form.Ports()
	for i := range inputs {
		input := (l.turn + 1 + i) % inputs
		line := n.form.Next(stage, out, input)
		f := n.fifos[stage][line][port]
		if f == nil || f.moving || f.head > now || !n.room(stage+1, out, f.job, false) {
			continue
		}
		l.turn, l.free, f.moving = input, now+f.takes, true
		l.used += f.takes
		l.seen.Busy(now, now+f.takes)
		n.src.At(now+f.takes, n, opTail, place(stage, line)|uint64(port)<<32)
		n.src.At(now+f.takes, n, opLink, place(stage, out))
		n.enter(stage+1, out, *f, now+n.latency(f.job))
		if stage == 0 {
			n.m.nodes[line].choose()
		}
		return
	}
}

// latency returns the time in a switch.
func (n *network) latency(j *job) vtime.Time {
	if j.header.Type == cenju4.Multicast {
		return n.m.n.multicast
	}
	return n.m.n.single
}
