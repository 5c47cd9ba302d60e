package ib

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	return entry.NIC{
		Name:     Name,
		Geometry: ib.Geometry,
		Register: func(f *fabric.Fabric) error {
			_, err := ib.Manage(f)
			return err
		},
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, ib.Options{Attach: o.Attach}))
		},
	}
}
