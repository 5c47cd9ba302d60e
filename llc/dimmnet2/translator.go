package dimmnet2

import (
	"rhinet/llc/endpoint"
	"rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/fabric"
)

const name = "dimmnet2"

// A Translator drives the half of a board that belongs to one rank.
type Translator struct {
	endpoint.Rings
	vectors
}

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int) (*Translator, error) {
	nic, err := dimmnet2.Open(f, rank)
	if err != nil {
		return nil, err
	}
	g := f.Geometry()
	t, e := &Translator{vectors: vectorsOf(nic, f.Ranks(), g.Rings*g.Ring.Size())}, endpoint.New(f, rank, dimmnet2.WrongGroup)
	t.Connect(&e, name, hardware{nic, endpoint.NoRemote{Why: errHost}, g.Rings, g.Ring})
	return t, nil
}
