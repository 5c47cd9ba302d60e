package timed

import (
	"fmt"

	"rhinet/nicemu/martini/stepped"
	"rhinet/nicemu/network"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// Parameters returns the table of a system with switches of a design: "rhinet2" or "rhinet3".
// Sections in it are those of the specification "martini".
func Parameters(design string) (*param.Table, error) {
	net, err := network.Parameters(design)
	if err != nil {
		return nil, err
	}
	rows := append(chipParameters(), firmwareParameters()...)
	rows = append(rows, busParameters()...)
	rows = append(rows, hostParameters()...)
	return param.New(append(rows, net.All()...)...), nil
}

const sum = "chosen, so that the sums of 12.2 come out"

func clocks(name string, value float64, about, source string) param.Parameter {
	return param.Parameter{Name: name, Unit: "clocks", Value: value, Least: 1, Most: 1e6, Whole: true, About: about, Source: source}
}

func chipParameters() []param.Parameter {
	return []param.Parameter{
		{Name: "core.clock", Unit: "MHz", Value: 66, Least: 1, Most: 10000, About: "clock of core logic, on-chip processor and PCI", Source: "2.2, 12.1"},
		clocks("core.analysis", 1, "a state of control logic", "chosen, because the states of 10.7 and 10.8 are clocks of a machine; "+sum),
		clocks("core.lookup", 2, "a state that reads a table or a TLB", "chosen, because an SRAM takes an address and a data clock; "+sum),
		clocks("core.request", 1, "a state that asks for DMA, or for the slave of one", "chosen, as core.analysis"),
		clocks("core.build", 2, "a packet joined for the Send FIFO, or an ack", "chosen, because header and payload FIFO are switched; "+sum),
		clocks("core.header", 1, "each header flit that the Header Generator makes", "chosen, because a FIFO takes a flit a clock"),
		clocks("core.buffer", 1, "each header flit read from the Header Buffer of AOTF", "chosen, because an SRAM gives a flit a clock; "+sum),
		clocks("core.window", 1, "each double word from a Window through the FIFO", "chosen, because a FIFO takes a double word a clock"),
		clocks("core.ring", 6, "VPUSH in hardware: RVA with the test for room in the ring", "pm-messaging 1.7: four more than core.lookup"),
		clocks("core.memory-setup", 8, "from a request to SDRAM until the first data", "chosen, because PC133 SDRAM behind two clock domains takes about 0.12 us"),
		clocks("core.memory-word", 1, "each eight bytes from or to SDRAM", "chosen, because the core moves a double word a clock"),
		{Name: "swi.clock", Unit: "MHz", Value: 125, Least: 1, Most: 10000, About: "clock of the Switch Interface", Source: "2.2, 12.1"},
		clocks("swi.send", 19, "a packet from the Send FIFO to the link, in clocks of SWI", sum),
		clocks("swi.receive", 26, "a header from the link to RFend, in clocks of SWI", "12.2: 0.24 us from arrival until processing starts, with five flits of header, which come first"),
	}
}

func firmwareParameters() []param.Parameter {
	return []param.Parameter{
		clocks("firmware.poll", 10, "between two looks of the main loop at the interrupt controller", "12.3: one register read of 3 clocks plus a few instructions"),
		clocks("firmware.ring-before", 150, "VPUSH: rfend handler until RFend goes on", "12.3: 6.6 us for both handlers, control bus and polls included; split chosen, because it is unstated"),
		clocks("firmware.ring-after", 50, "VPUSH: rfend handler while RFend goes on", "as firmware.ring-before"),
		clocks("firmware.ring-notice", 200, "VPUSH: replier handler", "as firmware.ring-before"),
		clocks("firmware.handler", 200, "any other handler", "chosen, because the two handlers of 12.3 take so much each"),
		clocks("firmware.alone", 200, "beyond a handler, for a packet that firmware does without the hardware", "chosen, as another handler's work: header, DMA request, end of DMA"),
		clocks("firmware.check", 8, "one look whether a DMA of firmware's has ended", "chosen, as firmware.poll without the branch by cause"),
	}
}

func busParameters() []param.Parameter {
	return []param.Parameter{
		{Name: "pci.width", Unit: "bit", Value: 64, Least: 8, Most: 64, Whole: true, About: "data in a clock", Source: "12.1"},
		clocks("pci.arbitrate", 2, "from the grant of the bus until the transaction begins", "chosen, because PCI grants a clock before and its master registers that"),
		clocks("pci.write", 4, "from the start of a write to its first data", "chosen, because address and DEVSEL take so much"),
		clocks("pci.read", 16, "from the start of a read to its first data", "12.2: what PUSH takes longer than BOTF until the packet leaves"),
		{Name: "pci.turnaround", Unit: "clocks", Value: 1, Most: 1000, Whole: true, About: "when the direction changes", Source: "chosen, because PCI has one idle clock between two drivers"},
	}
}

func hostParameters() []param.Parameter {
	ns := func(name string, value float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: "ns", Value: value, Most: 1e9, About: about, Source: source}
	}
	rate := func(name string, value float64, about, source string) param.Parameter {
		return param.Parameter{Name: name, Unit: "Mbyte/s", Value: value, Least: 1, Most: 1e6, About: about, Source: source}
	}
	return []param.Parameter{
		ns("host.store", 51, "a double word stored into the bridge", "12.2: 66 ns for each further one, of which one clock is on the bus"),
		ns("host.hold", 224, "how long the bridge waits for more after the last store", "12.2: 0.39 us until a single one is accepted"),
		{Name: "host.merge", Unit: "double words", Value: 16, Least: 1, Most: 4096, Whole: true, About: "that the bridge merges into one transaction", Source: "chosen, because such bridges hold a few cache lines"},
		ns("host.memory", 192, "from the last data of a write on PCI until it is in memory", "12.2: 0.42 us from the PCI transaction's start until completion, with host.detect"),
		ns("host.detect", 120, "until a process that polls a word in memory sees that it has changed", "chosen, as a cache miss of a 933 MHz host with PC133 SDRAM (12.1)"),
		ns("host.probe", 8, "reading a polled word that is in the first cache, with the loop around it", "chosen, as 7 clocks of 933 MHz"),
		ns("host.probe-second", 20, "the same in the second cache", "chosen, as 19 clocks of 933 MHz"),
		{Name: "host.ways", Unit: "ways", Value: 4, Least: 1, Most: 64, Whole: true, About: "of the first cache: as many words at equal places of pages stay in it", Source: "chosen, as a Pentium III has (12.1: x86, 933 MHz)"},
		{Name: "host.ways-second", Unit: "ways", Value: 8, Least: 1, Most: 64, Whole: true, About: "the same of the second cache; what is in neither costs host.detect", Source: "chosen, as host.ways"},
		ns("host.call", 100, "instructions of a library for one call", "chosen, as about 100 instructions of a 933 MHz host"),
		ns("host.mpi", 700, "instructions of MPI for a message, at each side", "chosen, as MPI libraries of the time took on such a host"),
		ns("host.syscall", 500, "a system call", "chosen, as Linux 2.4 takes on such a host"),
		ns("host.interrupt", 5000, "from an interrupt until the process that slept goes on", "chosen, as Linux 2.4 takes on such a host"),
		rate("host.copy", 800, "copying what is in the cache", "chosen, as a 933 MHz host with a 256 Kbyte cache does"),
		rate("host.copy-memory", 300, "copying what is in memory", "chosen, because read and write share PC133 SDRAM of 1066 Mbyte/s (12.1)"),
	}
}

// settings are the parameters in the form that the model uses.
type settings struct {
	core, swi                          vtime.Clock
	costs                              vtime.Costs
	poll                               int64
	firmware                           [stepped.Jobs]int
	receive                            int64
	turnaround                         vtime.Time
	address, fetch, busWrite, busWord  int64 // until the first data of a write, of a read, of a write with arbitration; for eight bytes
	store, hold, memory, detect, probe vtime.Time
	probeSecond                        vtime.Time
	call, mpi, syscall, interrupt      vtime.Time
	merge, ways, waysSecond            int
	copy, copyMemory                   float64 // picoseconds a byte
}

func megahertz(t *param.Table, name string) (vtime.Clock, error) {
	c, err := vtime.NewClock(uint64(t.Value(name)*1e6), 1)
	if err != nil {
		return c, fmt.Errorf("%w: %s: %w", network.ErrParameters, name, err)
	}
	return c, nil
}

func resolve(t *param.Table) (s settings, err error) {
	if s.core, err = megahertz(t, "core.clock"); err != nil {
		return s, err
	}
	if s.swi, err = megahertz(t, "swi.clock"); err != nil {
		return s, err
	}
	n := func(name string) int64 { return int64(t.Value(name)) }
	fixed := func(name string) vtime.Cost { return vtime.Cost{Fixed: n(name)} }
	each := func(name string) vtime.Cost { return vtime.Cost{PerUnit: n(name)} }
	s.address, s.fetch = n("pci.write"), n("pci.read")
	s.busWrite, s.busWord = n("pci.arbitrate")+n("pci.write"), (64+n("pci.width")-1)/n("pci.width")
	s.costs = make(vtime.Costs, stepped.Kinds)
	for kind, c := range map[vtime.Kind]vtime.Cost{
		vtime.Kind(stepped.Analysis): fixed("core.analysis"), vtime.Kind(stepped.Lookup): fixed("core.lookup"),
		vtime.Kind(stepped.Requesting): fixed("core.request"), vtime.Kind(stepped.Transfer): fixed("core.request"),
		vtime.Kind(stepped.Build): fixed("core.build"), vtime.Kind(stepped.Programmed): fixed("core.analysis"),
		stepped.KindWord: each("core.window"), stepped.KindHeader: each("core.header"), stepped.KindBuffer: each("core.buffer"),
		stepped.KindRing: fixed("core.ring"), stepped.KindSwitch: fixed("swi.send"), stepped.KindBusRead: {Fixed: n("pci.arbitrate") + n("pci.read")}, stepped.KindBusWrite: {Fixed: s.busWrite},
		stepped.KindBusWord: {PerUnit: s.busWord}, stepped.KindMemory: {Fixed: n("core.memory-setup"), PerUnit: n("core.memory-word")},
	} {
		s.costs[kind] = c
	}
	s.poll, s.receive, s.merge = n("firmware.poll"), n("swi.receive"), t.Int("host.merge")
	for job, name := range map[stepped.Job]string{
		stepped.Handling: "handler", stepped.RingBefore: "ring-before", stepped.RingAfter: "ring-after", stepped.RingNotice: "ring-notice",
		stepped.Alone: "alone", stepped.Polling: "check",
	} {
		s.firmware[job] = t.Int("firmware." + name)
	}
	s.turnaround = s.core.Span(n("pci.turnaround"))
	for name, to := range map[string]*vtime.Time{
		"store": &s.store, "hold": &s.hold, "memory": &s.memory, "detect": &s.detect, "probe": &s.probe, "probe-second": &s.probeSecond, "call": &s.call, "mpi": &s.mpi, "syscall": &s.syscall, "interrupt": &s.interrupt,
	} {
		*to = vtime.Nanoseconds(t.Value("host." + name))
	}
	s.ways, s.waysSecond = t.Int("host.ways"), t.Int("host.ways-second")
	s.copy, s.copyMemory = 1e6/t.Value("host.copy"), 1e6/t.Value("host.copy-memory")
	return s, nil
}
