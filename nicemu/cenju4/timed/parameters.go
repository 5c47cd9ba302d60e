package timed

import (
	"errors"

	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// Parameters returns the numbers of the model: those in the specification, and chosen values for
// those that it leaves open.
func Parameters() *param.Table {
	ns := func(name string, v float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: "ns", Value: v, Most: 1e7, About: about, Source: source}
	}
	whole := func(name, unit string, v, least, most float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: unit, Value: v, Least: least, Most: most, Whole: true, About: about, Source: source}
	}
	return param.New(
		whole("clock", "MHz", 80, 1, 1e5, "all of node and network", "cenju4, 12: 12.5 ns"),
		ns("switch.single", 125, "a packet to one node passes a switch", "cenju4, 2.1"),
		ns("switch.multicast", 187.5, "a packet to many passes a switch", "cenju4, 2.1"),
		ns("switch.sync", 200, "a synchronization packet passes a switch, without waiting for the table", "cenju4, 2.1"),
		whole("switch.table", "clocks", 1, 0, 1000, "an access to the synchronization table keeps the next one waiting", "cenju4, 2.3, as suggested"),
		whole("switch.level", "stages", 2, 1, 2, "stages of one level of boards: 2 for 16 lines, 1 for 4 (ceil(log4 N) stages)", "cenju4, 2.1, as suggested"),
		whole("switch.ports", "", cenju4.Ports, 2, cenju4.MostPorts, "inputs of a switch, and outputs: a power of 2; with 64 and levels of one stage up to 64 nodes are on one switch", "cenju4, 2.1"),
		whole("link.header", "flits", 6, 1, 96, "header of a packet", "cenju4, 2.2, as suggested: 2 DW"),
		whole("link.flit", "B", 3, 1, 64, "data of a flit, one a clock; 3 flits carry 8 bytes", "cenju4, 2.2"),
		whole("sender.rhm", "clocks", 10, 0, 1e5, "RHM deals with a parcel", "cenju4, 12, as suggested"),
		whole("sender.spm", "clocks", 4, 0, 1e5, "SPM deals with a packet", "cenju4, 12, as suggested"),
		whole("sender.registers", "", 4, 1, 64, "header registers", "cenju4, 3"),
		ns("memory.inquiry", 160, "the processor tells the state of a line", "cenju4, 5.4"),
		ns("memory.dirty", 410, "data of a dirty line begins to come", "cenju4, 5.4"),
		ns("memory.read", 100, "data of memory begins to come", "cenju4, 5.4, as suggested"),
		whole("memory.line", "clocks", 16, 1, 1e4, "a line of 128 bytes passes: 8 bytes a clock", "cenju4, 5.4"),
		whole("receiver.packet", "clocks", 4, 0, 1e5, "the Receiver deals with a packet", "cenju4, 12, as suggested"),
		whole("receiver.fifo", "packets", 2, 1, 64, "packets that wait for the Receiver or are there", "chosen, so that one comes while one is written"),
		ns("receiver.partial", 160, "a write of a part of a line, or of a word, waits for the line", "chosen: of a line that the processor only polls it asks for the state; 410 if it is dirty, as cenju4, 6.2 suggests"),
		ns("paralib.send", 1500, "the native library makes and queues a parcel", "chosen: unstated in cenju4, 12"),
		ns("paralib.receive", 500, "the native library finds that data has come", "chosen: unstated in cenju4, 12"),
		ns("paralib.again", 300, "another parcel of the same call: an odd word, a repair, the next destination", "chosen: unstated in cenju4, 12"),
		ns("mpi.call", 3000, "MPI sends or receives, beside what the native library takes", "chosen: unstated in cenju4, 12"),
		ns("system.call", 10000, "a system call, which flushes the data to send from the cache", "chosen: unstated in cenju4, 12"),
		param.Parameter{Name: "host.copy", Unit: "MB/s", Value: 150, Least: 1, Most: 1e6, About: "software copies data to a boundary of 8 bytes", Source: "chosen: unstated in cenju4, 12"},
	)
}

var (
	errClock = errors.New("timed: no clock")
	errPorts = errors.New("timed: switch.ports is no power of 2")
)

// numbers are the parameters in the form that the model uses.
type numbers struct {
	clock                      vtime.Clock
	single, multicast, sync    vtime.Time
	table                      vtime.Time
	header, flit               int
	rhm, spm                   vtime.Time
	registers                  int
	inquiry, dirty, read, line vtime.Time
	packet, partial            vtime.Time
	fifo                       int
}

func newNumbers(t *param.Table) (n numbers, err error) {
	if n.clock, err = vtime.NewClock(uint64(t.Int("clock"))*1e6, 1); err != nil {
		return n, errors.Join(errClock, err)
	}
	if ports := t.Int("switch.ports"); ports&(ports-1) != 0 {
		return n, errPorts
	}
	ns := func(name string) vtime.Time { return vtime.Nanoseconds(t.Value(name)) }
	clocks := func(name string) vtime.Time { return n.clock.Span(int64(t.Int(name))) }
	n.single, n.multicast, n.sync, n.table = ns("switch.single"), ns("switch.multicast"), ns("switch.sync"), clocks("switch.table")
	n.header, n.flit, n.registers, n.fifo = t.Int("link.header"), t.Int("link.flit"), t.Int("sender.registers"), t.Int("receiver.fifo")
	n.rhm, n.spm, n.line, n.packet = clocks("sender.rhm"), clocks("sender.spm"), clocks("memory.line"), clocks("receiver.packet")
	n.inquiry, n.dirty, n.read, n.partial = ns("memory.inquiry"), ns("memory.dirty"), ns("memory.read"), ns("receiver.partial")
	return n, nil
}

// onLink returns the time of a packet with the given number of bytes of data on a link: 8 bytes,
// with their check bits, take a whole number of flits (3 of 3 bytes).
func (n *numbers) onLink(bytes int) vtime.Time {
	perWord := (8 + n.flit) / n.flit
	return n.clock.Span(int64(n.header + (bytes+7)/8*perWord))
}
