package syncctl

import (
	"fmt"

	"rhinet/nicemu/vtime"
)

// Message passing (sync-controller, section 8): the sender stores data in a send buffer in RP
// memory and gives a command; the RP sends data packets; the receiver inspects its receive buffers.
// Our choice: a ring of packets for each sender, with credits; a message is cut into packets, which
// arrive in order.

// dataNet is the state of all receive buffers.
type dataNet struct {
	pairs map[[2]int]*pair // by sender and receiver
}

// A pair is the ring of one sender at one receiver.
type pair struct {
	credit  int
	sending [][]byte // send buffers, oldest first
	sent    int      // bytes of the oldest that have been sent
	arrived [][]byte // whole messages
	partial []byte   // the part of the next message that has arrived
	held    []int    // number of packets that each whole message, and then the next one, occupies
	packets int
}

func (m *Machine) pair(from, to int) *pair {
	p := m.data.pairs[[2]int{from, to}]
	if p == nil {
		p = &pair{credit: m.set.dataSlots}
		m.data.pairs[[2]int{from, to}] = p
	}
	return p
}

// Send copies b to a send buffer of a node and has its RP send it. A message that is longer than
// all receive buffers for one sender is refused: no receiver takes a part of a message out.
func (m *Machine) Send(from, to int, b []byte) error {
	if from < 0 || from >= len(m.nodes) || to < 0 || to >= len(m.nodes) || from == to {
		return fmt.Errorf("%w: message from node %d to %d; there are nodes 0 to %d, and no message to oneself", ErrCommand, from, to, len(m.nodes)-1)
	}
	if most := m.set.dataSlots * m.set.dataPacket; len(b) > most {
		return fmt.Errorf("%w: a message of %d bytes; receive buffers hold %d for each sender (data.slots, data.packet)", ErrCommand, len(b), most)
	}
	p := m.pair(from, to)
	p.sending = append(p.sending, append([]byte{}, b...))
	m.pump(from, to, p)
	return nil
}

// Inspect reports whether a message from a node is in the receive buffers, and its length, as a
// probe of MPI does.
func (m *Machine) Inspect(at, from int) (bytes int, ok bool) {
	if p := m.data.pairs[[2]int{from, at}]; p != nil && len(p.arrived) > 0 {
		return len(p.arrived[0]), true
	}
	return 0, false
}

// Receive takes the oldest message from a node out of the receive buffers. The sender can reuse
// them once it has learned of that.
func (m *Machine) Receive(at, from int) (b []byte, ok bool) {
	if _, ok := m.Inspect(at, from); !ok {
		return nil, false
	}
	p := m.pair(from, at)
	b, slots := p.arrived[0], p.held[0]
	p.arrived, p.held = p.arrived[1:], p.held[1:]
	m.after(vtime.Time(m.torus.Hops(at, from))*(m.set.dataHop+vtime.Time(m.set.dataHeader)*m.set.dataSerial), opCredit,
		job{at: from, setD: slots, p: Packet{Source: uint16(from), Destination: uint16(at)}})
	return b, true
}

// pump sends packets as long as there is credit. The payload of a packet is determined by its
// place: the bytes before it have been sent in order.
func (m *Machine) pump(from, to int, p *pair) {
	for p.credit > 0 && len(p.sending) > 0 {
		rest := len(p.sending[0]) - p.sent
		n := min(rest, m.set.dataPacket)
		b := p.sending[0][p.sent : p.sent+n]
		last := n == rest
		if p.sent += n; last {
			p.sending, p.sent = p.sending[1:], 0
		}
		p.credit--
		m.dataHopFrom(from, m.k.Now(), job{p: Packet{Source: uint16(from), Destination: uint16(to)}, data: dataPacket{b, last}})
	}
}

// dataPacket is a payload in flight.
type dataPacket struct {
	b    []byte
	last bool // of its message
}

func (m *Machine) dataHopFrom(at int, from vtime.Time, j job) {
	d := m.torus.Next(at, int(j.p.Destination))
	link := &m.nodes[at].data[d]
	start := max(from, *link)
	*link = start + vtime.Time(m.set.dataHeader+len(j.data.b))*m.set.dataSerial
	j.at = m.torus.Neighbour(at, d)
	m.at(*link+m.set.dataHop, opData, j)
}

func (m *Machine) dataArrived(j *job) {
	if j.at != int(j.p.Destination) {
		m.dataHopFrom(j.at, m.k.Now(), *j)
		return
	}
	p, d := m.pair(int(j.p.Source), j.at), &j.data
	p.partial = append(p.partial, d.b...)
	if p.packets++; d.last {
		p.arrived, p.held = append(p.arrived, p.partial), append(p.held, p.packets)
		p.partial, p.packets = nil, 0
	}
}

func (m *Machine) dataCredit(j *job) {
	p := m.pair(int(j.p.Source), int(j.p.Destination))
	p.credit += j.setD
	m.pump(int(j.p.Source), int(j.p.Destination), p)
}
