package syncctl

import "rhinet/nicemu/param"

// Parameters returns the numbers of the model. The specification gives three; all others are
// unstated there. What it derives counts only links, so the others are 0 or small enough not to
// matter.
func Parameters() *param.Table {
	return param.New(
		param.Parameter{Name: "event.hop", Unit: "ns", Value: 3000, Least: 1, Most: 1e6, About: "an event packet crosses one hop", Source: "sync-controller, 1.2: at most 3 us"},
		param.Parameter{Name: "event.rate", Unit: "Mb/s", Value: 100, Least: 1, Most: 1e5, About: "rate of an event link", Source: "sync-controller, 1.2: up to 100 Mb/s"},
		param.Parameter{Name: "data.rate", Unit: "Mb/s", Value: 100, Least: 1, Most: 1e5, About: "rate of a data link", Source: "sync-controller, 1.2: up to 100 Mb/s"},
		param.Parameter{Name: "data.hop", Unit: "ns", Value: 1720, Least: 0, Most: 1e6, About: "arbitration and forwarding of a data packet at each hop", Source: "chosen, because an event packet has as much left of its bound"},
		param.Parameter{Name: "data.packet", Unit: "B", Value: 64, Least: 1, Most: 65536, Whole: true, About: "payload of a data packet", Source: "chosen: unstated in sync-controller, 8"},
		param.Parameter{Name: "data.header", Unit: "B", Value: 16, Least: 0, Most: 256, Whole: true, About: "header of a data packet", Source: "chosen, because an event packet needs as much"},
		param.Parameter{Name: "data.slots", Value: 16, Least: 1, Most: 65536, Whole: true, About: "receive buffers for each sender, in packets", Source: "chosen: unstated in sync-controller, 8"},
		param.Parameter{Name: "rp.event", Unit: "ns", Value: 0, Least: 0, Most: 1e6, About: "the RP deals with one event", Source: "chosen: unstated in sync-controller, 1.1; what section 3 derives is without it"},
		param.Parameter{Name: "rp.send-order", Value: 1, Least: 0, Most: 1, Whole: true, About: "the Master of an aligned barrier corrects for sending packets one after another", Source: "chosen: unstated in sync-controller, 3.2"},
		param.Parameter{Name: "rp.waiters", Value: 1024, Least: 1, Most: 65535, Whole: true, About: "entries of a FIFO at a home node", Source: "chosen: nodes times processes, sync-controller, 4.2"},
		param.Parameter{Name: "mutex.retry", Unit: "ns", Value: 10000, Least: 1, Most: 1e9, About: "a refused mutex is asked for again after this", Source: "chosen: unstated in sync-controller, 5"},
		param.Parameter{Name: "pci.write", Unit: "ns", Value: 500, Least: 0, Most: 1e6, About: "a command reaches the RP or the BC", Source: "chosen: unstated in sync-controller, 1.1"},
		param.Parameter{Name: "pci.interrupt", Unit: "ns", Value: 500, Least: 0, Most: 1e6, About: "an interrupt reaches the PE", Source: "chosen: unstated in sync-controller, 6"},
		param.Parameter{Name: "pe.wake", Unit: "ns", Value: 5000, Least: 0, Most: 1e7, About: "the handler resumes the sleeping process", Source: "chosen: unstated in sync-controller, 6"},
		param.Parameter{Name: "bc.decode", Unit: "ns", Value: 100, Least: 0, Most: 1e6, About: "the distributed BC decodes an address and tells the central BC", Source: "chosen: unstated in sync-controller, 6"},
		param.Parameter{Name: "bc.central", Unit: "ns", Value: 30, Least: 1, Most: 1e6, About: "one pass of the rules of RBCQ-1", Source: "chosen: one clock, sync-controller, 7.3"},
		param.Parameter{Name: "bc.interrupt", Unit: "ns", Value: 100, Least: 0, Most: 1e6, About: "PE Go becomes an interrupt of the RP's CPU core", Source: "chosen: unstated in sync-controller, 6"},
	)
}
