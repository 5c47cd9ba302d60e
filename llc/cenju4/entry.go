package cenju4

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

// Entry returns the NIC as mpirun knows it.
func Entry() entry.NIC {
	return entry.NIC{
		Name: name,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank, cenju4.Options{Attach: o.Attach}))
		},
		Geometry: Geometry,
		Register: func(f *fabric.Fabric) error {
			_, err := cenju4.Manage(f)
			return err
		},
	}
}

// Geometry returns the memory that a job of so many ranks needs: its bootstrap areas hold mailboxes and areas
// of sets.
func Geometry(g fabric.Geometry, ranks int) fabric.Geometry {
	return cenju4.Geometry(g, mailbox.Bytes(ranks)+sets*setBytes)
}
