// Package media is DIMMnet-2 as a network of ranks in virtual time (package medium): each rank has
// a board, and all boards are on one InfiniBand switch.
//
//	host --window--> Window Controller --> switch interface --> switch
//	  --> switch interface --> Receive Controller --> receive ring in SO-DIMM --read--> host
//
// A packet is a BOTF whose place the receiver chooses (IPUSH), since only SO-DIMM has room for the
// packets of many ranks; a host that finds a packet's status in the LLCM has the board copy the
// packet to a Prefetch Window. The board cannot access memory of hosts, so all messages are sent
// this way, in packets of a window. Each part of a board handles one packet after the other.
package media

import (
	"fmt"
	"iter"
	"strings"

	"rhinet/nicemu/dimmnet2/timed"
	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Medium is DIMMnet-2 for a number of ranks, one on each board.
type Medium struct {
	vtime.Source
	model    *timed.Model
	table    *param.Table
	through  vtime.Time // time in the switch
	envelope int
	parts    []timed.Packet // by lines of data; zero until computed
	boards   []board
	flights  vtime.Slots[flight]
	free     func(src, dst int) // see Pace
	packets  uint64
	bytes    uint64
}

var (
	_ medium.Model   = (*Medium)(nil)
	_ medium.Pacer   = (*Medium)(nil)
	_ medium.Counter = (*Medium)(nil)
)

// A board is its parts, each of which handles one packet after the other.
type board struct{ control, leave, port, enter, receive medium.Stage }

// parts returns the parts in the order of a packet's path, with their names.
func (b *board) parts() iter.Seq2[string, *medium.Stage] {
	return func(yield func(string, *medium.Stage) bool) {
		_ = yield("Window Controller", &b.control) && yield("switch interface, out", &b.leave) && yield("link from the switch", &b.port) &&
			yield("switch interface, in", &b.enter) && yield("Receive Controller", &b.receive)
	}
}

// A flight is a packet in flight.
type flight struct {
	src, dst int
	parts    *timed.Packet
	to       vtime.Actor
	op       int
	arg      uint64
}

// New returns the medium of the given number of ranks.
func New(k *vtime.Kernel, ranks int, t *param.Table) (*Medium, error) {
	model, err := timed.New(t)
	if err != nil {
		return nil, err
	}
	m := &Medium{
		Source: k.Source("ranks"), model: model, table: t, through: vtime.Nanoseconds(t.Value("network.switch")), envelope: t.Int("mpi.envelope"),
		parts: make([]timed.Packet, timed.MostData/lineBytes+1), boards: make([]board, ranks), free: func(int, int) {},
	}
	inOne := strings.NewReplacer(", ", "-", " ", "-")
	for i := range m.boards {
		for name, part := range m.boards[i].parts() {
			part.Source = k.Source(fmt.Sprintf("board %d %s", i, inOne.Replace(name)))
		}
	}
	return m, nil
}

const lineBytes = 8

// of returns the times of a packet with the given number of bytes of payload.
func (m *Medium) of(bytes int) *timed.Packet {
	n := min(bytes+m.envelope, timed.MostData)
	p := &m.parts[(n+lineBytes-1)/lineBytes]
	if *p == (timed.Packet{}) {
		var err error
		if *p, err = m.model.Packet(n); err != nil {
			panic(err) // sizes fit a window
		}
	}
	return p
}

// Lookahead returns the time of the shortest packet.
func (m *Medium) Lookahead() vtime.Time {
	p := m.of(0)
	return p.Control + p.Leave + m.through + p.Enter + p.Receive + p.Told
}

// Costs returns the costs of the host, which stores and loads all data itself.
func (m *Medium) Costs() medium.Costs {
	h, call := m.model.Host(), vtime.Nanoseconds(m.table.Value("mpi.call"))
	each := func(ns float64) vtime.Time { return medium.PerByte(ns).Time(m.envelope) }
	reads := h.ReadByte + 1e3/m.table.Value("host.read")
	return medium.Costs{
		Send:    medium.Cost{Message: call, Packet: h.Send + each(h.SendByte), PerByte: medium.PerByte(h.SendByte)},
		Receive: medium.Cost{Message: call, Packet: h.Look + h.Read + each(reads), PerByte: medium.PerByte(reads)},
		Poll:    h.Look, Packet: timed.MostData - m.envelope, Eager: mostEager,
	}
}

// mostEager stands for all messages: the board cannot fetch any from the memory of its host.
const mostEager = 1 << 30

// Links returns the parts of boards that were used.
func (m *Medium) Links(end vtime.Time) (all []medium.Link) {
	for i := range m.boards {
		b := &m.boards[i]
		for name, part := range b.parts() {
			if used := part.Utilisation(end); used > 0 {
				all = append(all, medium.Link{Name: fmt.Sprintf("board %d %s", i, name), Used: used})
			}
		}
	}
	return all
}

// Carried returns what boards have sent.
func (m *Medium) Carried() (packets, bytes uint64) { return m.packets, m.bytes }

// Pace lets a rank hand over one packet for each Write Window.
func (m *Medium) Pace(free func(src, dst int)) int {
	m.free = free
	return m.table.Int("mpi.windows")
}

// The events; the argument is a flight, or the window of a pair of ranks.
const (
	opFree  = iota // the Window Controller has finished with a window
	opCome         // a whole packet would be at its board if the link were free
	dstBits = 16
)

// Send has the board of a rank send a packet.
func (m *Medium) Send(src, dst, bytes int, to vtime.Actor, op int, arg uint64) {
	window := uint64(src)<<dstBits | uint64(dst)
	if src == dst {
		m.After(m.Lookahead(), to, op, arg) // through memory: copies are in the costs
		m.After(m.Lookahead(), m, opFree, window)
		return
	}
	m.packets++
	m.bytes += uint64(bytes)
	p, b := m.of(bytes), &m.boards[src]
	sent := b.control.Take(m.Now(), p.Control) + p.Control
	m.At(sent, m, opFree, window)
	left := b.leave.Take(sent, p.Leave) + p.Leave
	m.At(left+m.through, m, opCome, m.flights.Put(flight{src, dst, p, to, op, arg}))
}

// Act handles an event.
func (m *Medium) Act(op int, arg uint64) {
	if op == opFree {
		m.free(int(arg>>dstBits), int(arg&(1<<dstBits-1)))
		return
	}
	f := m.flights.Take(arg)
	p, b := f.parts, &m.boards[f.dst]
	all := b.port.Take(m.Now()-p.Wire, p.Wire) + p.Wire
	entered := b.enter.Take(all, p.Enter) + p.Enter
	received := b.receive.Take(entered, p.Receive) + p.Receive
	m.At(received+p.Told, f.to, f.op, f.arg)
}
