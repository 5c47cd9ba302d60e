package martini

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	return entry.NIC{
		Name:     "martini",
		Register: endpoint.Register,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, martini.Options{Attach: o.Attach}))
		},
	}
}
