package dimmnet2

import (
	"rhinet/internal/ring"
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
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
			_, err := dimmnet2.Manage(f)
			return err
		},
	}
}

// mostRings is how many packet rings of 4 KByte fit the small buffers of a process. A job with fewer ranks
// has fewer and larger ones.
const mostRings = 3

// shape returns how many packet rings each of so many ranks has, and their layout.
func shape(ranks int) (rings int, of ring.Layout) {
	rings = min(max(ranks-1, 1), mostRings)
	return rings, ring.Layout{Slots: 16, Bytes: 32 << 10 >> rings}
}

// moduleBytes is the SO-DIMM that is fitted for each process, for windows (ir.Vectors). A page that no window
// uses takes no memory.
const moduleBytes = 1 << 20

// Geometry returns the memory that each of so many ranks needs. There are no words to swap.
func Geometry(g fabric.Geometry, ranks int) fabric.Geometry {
	g.Rings, g.Ring = shape(ranks)
	g.Words = 0
	return dimmnet2.Geometry(g, moduleBytes)
}
