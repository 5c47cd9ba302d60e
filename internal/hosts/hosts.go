// Package hosts is the table of how quickly named hosts compute: operations a
// second of one rank, by kind. Programs in virtual time that declare their
// operations take as long as such a host would.
package hosts

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

// A Host is one column of the table.
type Host struct {
	Name   string
	Source string             // where the rates come from
	Rates  map[string]float64 // operations a second, by kind
}

// Default is the name of the host that is meant when none is named.
const Default = "xeon"

// All returns the table. A kind is the name of a benchmark of the NAS suite, whose
// operations are those by which it computes its Mop/s.
func All() []Host {
	return []Host{
		{
			Name:   Default,
			Source: "results/2026-11-21/npb-A-1.json, one rank of class A on the host of that folder",
			Rates: map[string]float64{
				"ep": 1.404e+09,
				"cg": 4.206e+09,
				"mg": 5.555e+09,
				"ft": 1.353e+10,
				"is": 2.574e+08,
				"lu": 5.545e+10,
				"sp": 2.801e+10,
				"bt": 5.378e+10,
			},
		},
	}
}

// Rates returns the rates of a host.
func Rates(name string) (map[string]float64, error) {
	var names []string
	for _, h := range All() {
		if h.Name == name {
			return maps.Clone(h.Rates), nil
		}
		names = append(names, h.Name)
	}
	slices.Sort(names)
	return nil, fmt.Errorf("no host is called %q; there is %s", name, strings.Join(names, ", "))
}
