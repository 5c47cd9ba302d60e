package media

import (
	"rhinet/nicemu/param"
	"rhinet/nicemu/syncctl"
)

// Parameters returns the table of the medium, including that of the controllers below it.
func Parameters() *param.Table {
	return param.New(append([]param.Parameter{
		{Name: "mpi.call", Unit: "ns", Value: 1000, Most: 1e7, About: "instructions of MPI for a message, at each side", Source: "chosen, as MPI libraries of the time took on workstations; sync-controller states no processor"},
		{Name: "pe.command", Unit: "ns", Value: 1000, Most: 1e7, About: "a call of the device file, by which a process gives a command or looks at its receive buffers", Source: "chosen: unstated in sync-controller, 1.4"},
		{Name: "pe.byte", Unit: "ns/B", Value: 10, Least: 0, Most: 1000, About: "the PE stores or loads a byte of RP memory over PCI", Source: "chosen, as bursts of a PCI bus of 32 bits carry; unstated in sync-controller, 1.1"},
		{Name: "network.one-switch", Value: 0, Least: 0, Most: 1, Whole: true, About: "1: all nodes are on one switch, in the place of the torus", Source: "sync-controller, 1.1: a torus"},
	}, syncctl.Parameters().All()...)...)
}
