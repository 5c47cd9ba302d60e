package ib

import (
	"rhinet/llc/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/ib"
)

// Name is the name of the NIC.
const Name = "ib"

// A Translator drives the adapter of one rank.
type Translator struct{ endpoint.Rings }

// Open connects rank to its adapter in the memory of a job.
func Open(f *fabric.Fabric, rank int, o ib.Options) (*Translator, error) {
	h, err := ib.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	t, e := new(Translator), endpoint.New(f, rank, ib.RetryExceeded)
	t.Connect(&e, Name, hardware{h})
	return t, nil
}
