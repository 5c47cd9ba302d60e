package media

import (
	"rhinet/nicemu/dimmnet2/timed"
	"rhinet/nicemu/param"
)

// Parameters returns the table of the medium, including that of the boards below it.
func Parameters() *param.Table {
	return param.New(append([]param.Parameter{
		{Name: "mpi.call", Unit: "ns", Value: 400, Most: 1e7, About: "instructions of MPI for a message, at each side", Source: "chosen, as MPI libraries of the time took on a processor of 2.6 GHz (dimmnet2, 12)"},
		{Name: "mpi.envelope", Unit: "bytes", Value: 24, Most: 256, Whole: true, About: "source, tag, context and size in each packet", Source: "chosen, as the low-level communication library has it"},
		{Name: "mpi.windows", Unit: "windows", Value: 2, Least: 1, Most: 4, Whole: true, About: "Write Windows that are filled in turn", Source: "dimmnet2, 2 and 9: the share of a process"},
		{Name: "host.read", Unit: "MB/s", Value: 800, Least: 1, Most: 1e6, About: "reading a Prefetch Window, lines flushed and fetched ahead", Source: "chosen, as half of what the slot carries (dimmnet2, 1: PC1600)"},
		{Name: "network.switch", Unit: "ns", Value: 200, Least: 1, Most: 1e6, About: "the switch, with its cables", Source: "dimmnet2, 7.4, as suggested"},
	}, timed.Parameters().All()...)...)
}
