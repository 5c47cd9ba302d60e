package timed

import (
	"fmt"
	"math/bits"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/vtime"
)

// A flight is a packet on its way, or one copy of it.
type flight struct {
	job    *job
	bytes  int
	last   bool
	takes  vtime.Time // from its head to its tail: what the slowest part of its way needs
	head   vtime.Time // when its head came to where it is
	moving bool       // it leaves
}

// A network is the switches. A FIFO memory holds one packet.
type network struct {
	m     *Machine
	form  *cenju4.Network
	src   vtime.Source
	fifos [][][]*flight // by stage, line on which a packet comes, and output port
	links [][]link      // by stage, and line on which packets leave
	meets map[meeting]uint64
	table map[[2]int]vtime.Time // by stage and switch: when the synchronization table is free
}

// A link is an output of a switch.
type link struct {
	free vtime.Time
	used vtime.Time
	turn int // the input that was served last
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

// What happens in the network, and where: the argument is stage and line.
const (
	opHead   = iota // a head has come to a switch on a line
	opLink          // an output is free
	opTail          // a packet has left the FIFO memory of an input and output
	opSync          // a synchronization packet has come
	opMeet          // its switch has looked it up
	lineBits = 16
)

func place(stage, line int) uint64 { return uint64(stage)<<lineBits | uint64(line) }

// Act is an event.
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

// room reports whether all of a packet that comes on a line has room: with draining, also where
// the packet before is leaving.
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

// enter has a packet come on a line, of which the head arrives at a time. There is room.
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

// serve has an output of a switch take the next packet, in turn of the inputs, that can go.
func (n *network) serve(stage, out int) {
	l, now := &n.links[stage][out], n.m.k.Now()
	if l.free > now {
		return // it looks again then
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

// latency is what a switch takes.
func (n *network) latency(j *job) vtime.Time {
	if j.header.Type == cenju4.Multicast {
		return n.m.n.multicast
	}
	return n.m.n.single
}
