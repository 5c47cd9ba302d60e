package tcp

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Name is the name that mpirun takes.
const Name = "tcp"

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	return entry.NIC{
		Name:    Name,
		Spreads: true,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, Options{Network: o.Network, Beside: o.Beside}))
		},
	}
}
