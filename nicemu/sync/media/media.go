// Package media is the communication/synchronization controller as a network of ranks in virtual time (package
// medium): each rank is a node of the torus, or of one switch.
//
//	PE --PCI--> RP --data packets, hop by hop--> RP --PCI--> PE      a packet of the library
//	RP --event packet, hop by hop--> RP                              room in a receive buffer
//	PE --> distributed BC --> central BC --> distributed BC --> PE   codes of RBCQ-1
//
// A packet of the library is a series of data packets, one with the line and before it those with a
// payload that does not fit the line, which cross a link one after the other (our choice). The
// receive buffers for a sender hold two packets of the library of maximum length, and the receiver
// returns room by an event packet. The barrier controllers are those of package
// rhinet/nicemu/syncctl.
package media

import (
	"fmt"
	"math/bits"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/syncctl"
	"rhinet/nicemu/vtime"
)

// A Medium is the controllers of the given number of ranks.
type Medium struct {
	vtime.Source
	k       *vtime.Kernel
	table   *param.Table
	torus   syncctl.Torus
	star    bool           // one switch in place of the torus
	data    []medium.Stage // by node and direction; carries one packet of the library at a time
	event   []medium.Stage
	set     times
	flights vtime.Slots[flight]
	free    func(src, dst int) // see Pace
	left    []bool             // ranks that take no more packets
	held    []int              // packets that have arrived and were not taken, by sender and receiver
	packets uint64
	bytes   uint64

	sequences []*sequence
}

var (
	_ medium.Model      = (*Medium)(nil)
	_ medium.Pacer      = (*Medium)(nil)
	_ medium.Keeper     = (*Medium)(nil)
	_ medium.Counter    = (*Medium)(nil)
	_ medium.Controller = (*Medium)(nil)
)

// times are the parameters in the form that the model uses.
type times struct {
	write, hop, eventHop, event vtime.Time // a command to the RP; forwarding of data and event packets
	perByte, serial             vtime.Time // of a data link; an event packet on its link
	payload, header             int        // of a data packet
	most                        int        // maximum number of data packets in a packet of the library
	window                      int        // number of packets of the library in the receive buffers for a sender
}

// A flight is a packet in flight: of the library, or an event packet that returns room.
type flight struct {
	at, src, dst int
	long         vtime.Time // time on each link
	room         bool
	to           vtime.Actor
	op           int
	arg          uint64
}

// The contents of a line.
const (
	lineBytes = 64
	inLine    = 40
)

// New returns the medium of the given number of ranks, on the torus whose sides differ least, or on
// one switch.
func New(k *vtime.Kernel, ranks int, t *param.Table) (*Medium, error) {
	torus := syncctl.Grid(ranks)
	if _, err := syncctl.NewMachine(new(vtime.Kernel), torus, t); err != nil {
		return nil, err
	}
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(t.Value(name)) }
	each := func(rate string) vtime.Time { return vtime.Nanoseconds(8 * 1000 / t.Value(rate)) }
	m := &Medium{
		Source: k.Source("ranks"), k: k, table: t, torus: torus, star: t.Int("network.one-switch") == 1, free: func(int, int) {}, left: make([]bool, ranks), held: make([]int, ranks*ranks),
		data: make([]medium.Stage, ranks*directions), event: make([]medium.Stage, ranks*directions),
		set: times{
			write: ns("pci.write"), hop: ns("data.hop"), eventHop: ns("event.hop"), event: ns("rp.event"),
			perByte: each("data.rate"), serial: each("event.rate") * syncctl.PacketBytes, payload: t.Int("data.packet"), header: t.Int("data.header"),
		},
	}
	m.name()
	slots := t.Int("data.slots")
	m.set.most = max(slots/2, m.packetsOf(inLine+1))
	m.set.window = max(1, slots/m.set.most)
	return m, nil
}

// directions is the number of links of a node; with one switch only two of them, in these places,
// are used.
const (
	directions = 4
	toSwitch   = int(syncctl.Right)
	fromSwitch = int(syncctl.Left)
)

// name sets the names of the links.
func (m *Medium) name() {
	ways := [directions]string{"right", "left", "down", "up"}
	if m.star {
		ways[toSwitch], ways[fromSwitch] = "to-the-switch", "from-the-switch"
	}
	for i := range m.data {
		node, way := i/directions, ways[i%directions]
		m.data[i].Source, m.event[i].Source = m.k.Source(fmt.Sprintf("node %d data-link-%s", node, way)), m.k.Source(fmt.Sprintf("node %d event-link-%s", node, way))
	}
}

// packetsOf returns the number of data packets of a packet of the library with the given number of
// bytes of payload.
func (m *Medium) packetsOf(bytes int) int {
	n := (lineBytes + m.set.payload - 1) / m.set.payload
	if bytes > inLine {
		n += (bytes + m.set.payload - 1) / m.set.payload
	}
	return n
}

// most returns the longest payload of a packet of the library.
func (m *Medium) most() int {
	return max((m.set.most-m.packetsOf(0))*m.set.payload, inLine)
}

// on returns how long the data packets of a packet of the library occupy a link.
func (m *Medium) on(bytes int) vtime.Time {
	carried := lineBytes + m.packetsOf(bytes)*m.set.header
	if bytes > inLine {
		carried += bytes
	}
	return vtime.Time(carried) * m.set.perByte
}

// Lookahead returns the time of a line to the next node, or that of a code if it is shorter.
func (m *Medium) Lookahead() vtime.Time {
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(m.table.Value(name)) }
	code := ns("pci.write") + ns("bc.decode") + ns("bc.central") + ns("bc.interrupt") + ns("pci.interrupt") + ns("pe.wake")
	return min(m.set.write+m.on(0)+m.set.hop, code)
}

// Costs returns the costs of the PE, which stores and loads all data itself.
func (m *Medium) Costs() medium.Costs {
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(m.table.Value(name)) }
	each := medium.PerByte(m.table.Value("pe.byte"))
	line := each.Time(lineBytes)
	side := medium.Cost{Message: ns("mpi.call"), Packet: ns("pe.command") + line, PerByte: each}
	return medium.Costs{Send: side, Receive: side, Code: ns("mpi.call") + ns("pe.command"), Poll: ns("pe.command"), Packet: m.most(), Eager: mostEager}
}

// mostEager stands for all messages: the RP cannot fetch any from the memory of a PE.
const mostEager = 1 << 30

// Links returns the links that were used.
func (m *Medium) Links(end vtime.Time) (all []medium.Link) {
	for i := range m.data {
		for _, l := range []*medium.Stage{&m.data[i], &m.event[i]} {
			if used := l.Utilisation(end); used > 0 {
				all = append(all, medium.Link{Name: l.Source.Name(), Used: used})
			}
		}
	}
	return all
}

// Carried returns what nodes have sent.
func (m *Medium) Carried() (packets, bytes uint64) { return m.packets, m.bytes }

// Pace lets a rank fill the receive buffers that another rank has for it.
func (m *Medium) Pace(free func(src, dst int)) int {
	m.free = free
	return m.set.window
}

// Send has the RP of a rank send a packet, after the command has reached it.
func (m *Medium) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	if src == dst {
		m.After(m.Lookahead(), to, op, arg) // through memory: copies are in the costs
		m.After(m.Lookahead(), m, opRoom, m.flights.Put(flight{src: src, dst: dst}))
		return
	}
	m.packets += uint64(m.packetsOf(bytes))
	m.bytes += uint64(bytes)
	m.After(m.set.write, m, opHop, m.flights.Put(flight{at: src, src: src, dst: dst, long: m.on(bytes), to: to, op: op, arg: arg}))
}

// Taken has the receiver return room, by an event packet.
func (m *Medium) Taken(src, dst int) {
	if src != dst {
		m.held[src*len(m.left)+dst]--
		m.packets++
		m.After(m.set.write, m, opHop, m.flights.Put(flight{at: dst, src: dst, dst: src, long: m.set.serial, room: true}))
	}
}

// Left says that a rank takes no more packets: its RP returns all room.
func (m *Medium) Left(rank int) {
	m.left[rank] = true
	for src := range m.left {
		for m.held[src*len(m.left)+rank] > 0 {
			m.Taken(src, rank)
		}
	}
}

// The events; the argument is a flight, or a code.
const (
	opHop  = iota // a flight is at a node, and is forwarded
	opCome        // the whole flight is at the next node
	opRoom        // its sender may send another one
)

// Act handles an event.
func (m *Medium) Act(op int, arg uint64) {
	if op == opHop {
		m.hop(arg)
		return
	}
	f := m.flights.Take(arg)
	if op == opRoom {
		m.free(f.src, f.dst)
	} else {
		m.come(&f)
	}
}

// atSwitch is the place of a flight at the one switch.
const atSwitch = -1

// way returns the link that a flight takes from its present place, and the end of that link.
func (m *Medium) way(f *flight) (link, next int) {
	switch {
	case !m.star:
		d := m.torus.Next(f.at, f.dst)
		return f.at*directions + int(d), m.torus.Neighbour(f.at, d)
	case f.at == atSwitch:
		return f.dst*directions + fromSwitch, f.dst
	}
	return f.at*directions + toSwitch, atSwitch
}

// hop sends a flight over the link to its next node. Its first bytes may leave that node before the
// last ones have arrived. A flight from the one switch is not forwarded any more.
func (m *Medium) hop(i uint64) {
	f := m.flights.At(i)
	links, through, all := m.data, m.first()+m.set.hop, f.long+m.set.hop
	if f.room {
		links, through, all = m.event, m.set.eventHop, m.set.eventHop+m.set.event
	}
	if f.at == atSwitch {
		all -= through - m.head(f)
	}
	link, next := m.way(f)
	start := links[link].Take(m.Now(), f.long)
	if f.at = next; next == f.dst {
		m.At(start+all, m, opCome, i)
	} else {
		m.At(start+through, m, opHop, i)
	}
}

// head returns how long the part of a flight for which its next link must wait occupies a link.
func (m *Medium) head(f *flight) vtime.Time {
	if f.room {
		return m.set.serial
	}
	return m.first()
}

// first returns how long the first data packet of a packet of the library occupies a link.
func (m *Medium) first() vtime.Time {
	return vtime.Time(m.set.header+min(m.set.payload, lineBytes)) * m.set.perByte
}

// come ends a flight. A packet for a rank that has left occupies no room.
func (m *Medium) come(f *flight) {
	if f.room {
		m.free(f.dst, f.src)
		return
	}
	m.held[f.src*len(m.left)+f.dst]++
	if f.to.Act(f.op, f.arg); m.left[f.dst] {
		m.Taken(f.src, f.dst)
	}
}

// A sequence is the barrier controllers of some ranks, from a place on.
type sequence struct {
	number        int
	members, base uint64
	machine       *syncctl.Machine
	executed      [64]int // number of codes, by rank
	waiting       int
}

// idle reports whether no rank waits in the sequence and all have executed equally many codes.
func (s *sequence) idle() bool {
	first := s.executed[bits.TrailingZeros64(s.members)]
	for left := s.members; left != 0; left &= left - 1 {
		if s.executed[bits.TrailingZeros64(left)] != first {
			return false
		}
	}
	return s.waiting == 0
}

// Sequences returns the number of independent sequences of the controllers, for at most 64 ranks.
func (m *Medium) Sequences() int {
	if len(m.left) > 64 {
		return 0
	}
	return sequences
}

// sequences is our choice: sync-controller, 7, has one.
const sequences = 16

// sequence returns the controllers of a sequence, and makes them if they are new. An idle sequence
// with the same number but other members or another base has been replaced, and is overwritten.
func (m *Medium) sequence(number int, members, base uint64) *sequence {
	old := -1
	for i, s := range m.sequences {
		if s.number == number && s.members == members && s.base == base {
			return s
		}
		if s.number == number && s.idle() {
			old = i
		}
	}
	machine, err := syncctl.NewMachine(m.k, syncctl.Torus{Rows: 1, Columns: bits.OnesCount64(members)}, m.table)
	if err != nil {
		panic(err) // the table is that of New
	}
	s := &sequence{number: number, members: members, base: base, machine: machine}
	if old >= 0 {
		m.sequences[old] = s
	} else {
		m.sequences = append(m.sequences, s)
	}
	return s
}

// Code has a rank execute a code at its distributed BC.
func (m *Medium) Code(src, number int, members, base uint64, to vtime.Actor, op int, arg uint32) {
	s := m.sequence(number, members, base)
	s.waiting++
	s.executed[src]++
	s.machine.Code(bits.OnesCount64(members&(1<<src-1)), 1, &waiter{s, to, op, medium.AtMember(src, arg)})
}

// A waiter is a rank that waits for PE Go.
type waiter struct {
	s   *sequence
	to  vtime.Actor
	op  int
	arg uint64
}

// Resume is PE Go. A rank that has broken the rules is never resumed.
func (w *waiter) Resume(_ int, _ syncctl.Command, status syncctl.Status) {
	if status != syncctl.OK {
		return
	}
	w.s.waiting--
	w.to.Act(w.op, w.arg)
}
