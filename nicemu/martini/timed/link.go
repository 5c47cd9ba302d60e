package timed

import "rhinet/nicemu/network"

// link carries packets from one Switch Interface to another, through the network.
type link struct{ sys *System }

// Send implements stepped.Link.
func (l link) Send(from, to, bytes int, packet any) {
	sys := l.sys
	p := sys.packet()
	sys.number++
	p.ID, p.Src, p.Dst, p.Bytes, p.Payload = sys.number, from, to, bytes, packet
	n := sys.nodes[from]
	if from == to { // SWI loops it back
		n.arrivals.Head(p)
		n.arrivals.Tail(p)
		n.At(n.Now(), n, opTurned, 0)
		return
	}
	if err := sys.net.Send(p); err != nil {
		panic(err) // the machine has already checked node and size
	}
}

// Release implements stepped.Link.
func (l link) Release(ride any) { l.sys.release(ride.(*network.Packet)) }

func (sys *System) release(p *network.Packet) {
	if p.Src != p.Dst {
		sys.net.Release(p)
	}
	p.Payload = nil
	sys.pool = append(sys.pool, p)
}

func (sys *System) packet() *network.Packet {
	if len(sys.pool) == 0 {
		return new(network.Packet)
	}
	p := sys.pool[len(sys.pool)-1]
	sys.pool = sys.pool[:len(sys.pool)-1]
	return p
}

// A sink is the receiving side of a node's Switch Interface, which takes a fixed time for each
// header. A packet stays in the buffer at the end of its link, which is that of the Switch
// Interface, until the NIC is done with it.
type sink struct {
	n           *Node
	heads, ends ringOfPackets
}

// Operations of a sink.
const (
	opHead = iota
	opWhole
)

// Head implements network.Sink.
func (s *sink) Head(p *network.Packet) {
	s.heads.Push(p)
	s.after(opHead)
}

// Tail implements network.Sink.
func (s *sink) Tail(p *network.Packet) bool {
	s.ends.Push(p)
	s.after(opWhole)
	return false
}

func (s *sink) after(op int) {
	set := &s.n.sys.s
	s.n.At(set.swi.After(s.n.Now(), set.receive), s, op, 0)
}

// Departed implements network.Departer.
func (s *sink) Departed(*network.Packet) { s.n.sys.machine.Departed(s.n.id) }

// Act hands over a packet from SWI.
func (s *sink) Act(op int, _ uint64) {
	m := s.n.sys.machine
	if op == opHead {
		p := s.heads.Pop()
		m.Arrive(s.n.id, p.Payload, p)
		return
	}
	p := s.ends.Pop()
	if m.Whole(s.n.id, p.Payload) {
		s.n.sys.release(p)
	}
}
