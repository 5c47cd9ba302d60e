package martinipm

import (
	"rhinet/llc/entry"
	"rhinet/llc/ir"
	"rhinet/llc/martini/endpoint"
	"rhinet/nicemu/fabric"
	"rhinet/nicemu/martini"
	"rhinet/nicemu/martini/pm"
)

// Entries returns the two layers for the table of NICs.
func Entries() []entry.NIC {
	throttle := entry.Setting{Key: "throttle", Values: pm.Throttles()}
	return []entry.NIC{{
		Name:     "martini:pm",
		Register: endpoint.Register,
		Geometry: pm.Geometry,
		Setting:  throttle,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			var layer pm.Options
			if o.Setting != "" {
				var err error
				if layer.Throttle, err = pm.ParseThrottle(o.Setting); err != nil {
					return nil, err
				}
			}
			return entry.Opened(OpenRHiNET(f, rank, martini.Options{Attach: o.Attach}, layer))
		},
	}, {
		Name:     "martini:vp",
		Register: endpoint.Register,
		Open: func(f *fabric.Fabric, rank int, o entry.Options) (ir.Translator, error) {
			return entry.Opened(OpenVP(f, rank, martini.Options{Attach: o.Attach}))
		},
	}}
}
