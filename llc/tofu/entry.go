package tofu

import (
	"strconv"

	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/mailbox"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/tofu"
)

// Entry returns the NIC for the table of NICs.
func Entry() entry.NIC {
	return entry.NIC{
		Name: name,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			ports, _ := strconv.Atoi(o.Setting) // one of the values below, or empty for one
			return entry.Opened(Open(f, rank, Options{Attach: o.Attach, Ports: ports}))
		},
		Setting:  entry.Setting{Key: "ports", Values: []string{"1", "2", "3", "4"}},
		Geometry: Geometry,
		Register: func(f *fabric.Fabric) error {
			_, err := tofu.Manage(f)
			return err
		},
	}
}

// Geometry returns the memory that a job of so many ranks needs: g, or more of it.
func Geometry(g fabric.Geometry, ranks int) fabric.Geometry {
	return tofu.Geometry(g, mailbox.Bytes(ranks))
}
