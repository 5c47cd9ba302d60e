package ofi

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Name is the name that mpirun takes.
const Name = "ofi"

// providers are those that users can choose, and what libfabric calls them, the best name first. The provider
// that was net in 1.16 and 1.17 is tcp since 1.18; before, tcp works only with ofi_rxm over it, which is
// slower and takes a second to open.
var providers = []struct {
	name string
	full []string
}{
	{"tcp", []string{"net", "tcp"}},
	{"rxm", []string{"tcp;ofi_rxm"}},
	{"verbs", []string{"verbs;ofi_rxm"}},
	{"efa", []string{"efa"}}, {"cxi", []string{"cxi"}}, {"opx", []string{"opx"}}, {"psm2", []string{"psm2"}}, {"psm3", []string{"psm3"}},
}

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	s := entry.Setting{Key: "provider"}
	for _, p := range providers {
		s.Values = append(s.Values, p.name)
	}
	return entry.NIC{
		Name:    Name,
		Setting: s,
		Tag:     Name,
		Spreads: true,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, Options{Provider: o.Setting, Network: o.Network, Beside: o.Beside}))
		},
	}
}
