package loggp

import (
	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// mostEager is the largest allowed value of S, the longest message that travels as one packet, in
// bytes.
const mostEager = 16 << 10

// processor lists the costs of a rank's processor, in both models.
func processor() []param.Parameter {
	return []param.Parameter{
		{Name: "o", Unit: "ns", Value: 300, Most: 1e9, About: "overhead: processor time of a packet, at its sender and again at its receiver", Source: "chosen, because host and library of a fast network take a few hundred ns"},
		{Name: "O", Unit: "ns/byte", Value: 0, Most: 1e3, About: "overhead for each byte of a packet", Source: "chosen, because the NIC moves the bytes"},
		{Name: "S", Unit: "bytes", Value: 8192, Least: 64, Most: mostEager, Whole: true, About: "longest message sent before its receiver has asked for it", Source: "chosen, because it is where a round trip costs as much as copying"},
		{Name: "poll", Unit: "ns", Value: 50, Least: 1, Most: 1e9, About: "a Test or Probe that finds nothing", Source: "chosen, because it is a miss of the last cache, and a few instructions"},
	}
}

// Parameters returns the table of LogGP.
func Parameters() *param.Table {
	return param.New(append([]param.Parameter{
		{Name: "L", Unit: "ns", Value: 1000, Least: 1, Most: 1e9, About: "latency from NIC to NIC", Source: "chosen, because two switches, three cables and two NICs take about as long"},
		{Name: "g", Unit: "ns", Value: 10, Most: 1e9, About: "gap between packets of a rank, in each direction", Source: "chosen, because a NIC sends about 100 million packets a second"},
		{Name: "G", Unit: "ns/byte", Value: 0.08, Most: 1e3, About: "gap for each byte", Source: "chosen, because it is 12.5 Gbyte/s, a link of 100 Gbit/s"},
	}, processor()...)...)
}

// FatTreeParameters returns the table of the fat tree.
func FatTreeParameters() *param.Table {
	return param.New(append([]param.Parameter{
		{Name: "k", Unit: "children", Value: 16, Least: 2, Most: 1024, Whole: true, About: "ranks or switches below a switch", Source: "chosen, because switches have 32 or more ports"},
		{Name: "taper", Unit: "children", Value: 1, Least: 1, Most: 1024, Whole: true, About: "children for each parent of a switch; it divides k", Source: "chosen, because a full tree has as many links up as down"},
		{Name: "rate", Unit: "Gbyte/s", Value: 12.5, Least: 1e-3, Most: 1e4, About: "of each direction of a link", Source: "chosen, because it is a link of 100 Gbit/s"},
		{Name: "nic", Unit: "ns", Value: 350, Least: 1, Most: 1e9, About: "from memory to the link, and again from the link to memory", Source: "chosen, because it is a crossing of the host's bus"},
		{Name: "hop", Unit: "ns", Value: 120, Least: 1, Most: 1e9, About: "a switch with the cable to it", Source: "chosen, because switches take about 100 ns, and 4 m of cable 20"},
		{Name: "g", Unit: "ns", Value: 10, Most: 1e9, About: "gap between packets of a rank, in each direction", Source: "chosen, because a NIC sends about 100 million packets a second"},
	}, processor()...)...)
}

func costs(t *param.Table) medium.Costs {
	o := vtime.Nanoseconds(t.Value("o"))
	each := medium.Cost{Packet: o, PerByte: medium.PerByte(t.Value("O"))}
	return medium.Costs{
		Send: each, Receive: each, Transfer: o, Poll: vtime.Nanoseconds(t.Value("poll")),
		Packet: t.Int("S"), Eager: t.Int("S"), Remote: true,
	}
}
