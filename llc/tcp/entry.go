package tcp

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
)

// Name is what mpirun takes.
const Name = "tcp"

// Entry is what the table of NICs knows of this one.
func Entry() entry.NIC {
	return entry.NIC{
		Name:    Name,
		Spreads: true,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, Options{Network: o.Network, Beside: o.Beside}))
		},
	}
}
