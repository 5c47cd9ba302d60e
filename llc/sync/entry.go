package sync

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/sync"
)

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	return entry.NIC{
		Name: name,
		Open: func(f *fabric.Fabric, rank int, _ entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank))
		},
		Geometry: Geometry,
		Register: func(f *fabric.Fabric) error {
			_, err := sync.Manage(f)
			return err
		},
	}
}

// Geometry returns the memory that a job of so many ranks needs, mailboxes included. There are no words to
// swap.
func Geometry(g fabric.Geometry, ranks int) fabric.Geometry {
	g.Words = 0
	return sync.Geometry(g, mailbox.Bytes(ranks))
}
