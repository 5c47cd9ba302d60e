package dimmnet2

import (
	"rhinet/internal/ring"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

// Entry is what the table of NICs knows of this one.
func Entry() entry.NIC {
	return entry.NIC{
		Name: name,
		Open: func(f *fabric.Fabric, rank int, _ entry.Options) (ir.Translator, error) {
			return entry.Opened(Open(f, rank))
		},
		Geometry: func(g fabric.Geometry, _ int) fabric.Geometry { return Geometry(g) },
		Register: func(f *fabric.Fabric) error {
			_, err := dimmnet2.Manage(f)
			return err
		},
	}
}

// rings is how many packet rings of which shape fit the small buffers of a process.
const rings = 3

func layout() ring.Layout { return ring.Layout{Slots: 32, Bytes: 4096} }

// moduleBytes is the SO-DIMM that is fitted for each process, for windows (ir.Vectors). A page that no window uses takes no memory.
const moduleBytes = 1 << 20

// Geometry returns the memory that each rank needs. There are no words to swap.
func Geometry(g fabric.Geometry) fabric.Geometry {
	g.Rings, g.Ring, g.Words = rings, layout(), 0
	return dimmnet2.Geometry(g, moduleBytes)
}
