package timed

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/timed"
)

// Name is the name of the NIC.
const Name = "timed"

// Entry returns the NIC for the table of NICs. It works only in jobs whose launcher keeps virtual time.
func Entry() entry.NIC {
	return entry.NIC{
		Name:     Name,
		Hidden:   true,
		Geometry: func(g fabric.Geometry, _ int) fabric.Geometry { return timed.Geometry(g) },
		Register: endpoint.Register,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			t, err := Open(f, rank, martini.Options{Attach: o.Attach})
			if err != nil {
				return nil, err
			}
			return t.limited(), nil
		},
	}
}

// limited returns t without what the emulated NIC does at once and at no cost: the engine's messages replace
// it.
func (t *Translator) limited() ir.Translator {
	a := ir.AbilitiesOf(t)
	a.Memory, a.Remote = nil, nil
	if len(t.sets.all) == 0 {
		a.Switch = nil // the modelled network has none
	}
	if len(t.codes) == 0 {
		a.Controller = nil
	}
	return a.Give(t)
}
