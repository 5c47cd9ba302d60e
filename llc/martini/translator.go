package martini

import (
	shared "rhinet/llc/endpoint"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
)

// A Translator drives the NIC of one rank.
type Translator struct {
	shared.Rings
	end endpoint.Endpoint
}

// Open connects rank to its NIC in the memory of a job.
func Open(f *fabric.Fabric, rank int, o martini.Options) (*Translator, error) {
	end, err := endpoint.Open(f, rank, o)
	if err != nil {
		return nil, err
	}
	t := &Translator{end: end}
	t.Connect(&t.end.Endpoint, "martini", hardware{&t.end})
	return t, nil
}
