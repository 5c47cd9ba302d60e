// Package hosts is the table of how fast named hosts compute: operations per second of one rank, by kind.
// Programs in virtual time that declare their operations take as long as on such a host.
package hosts

import (
	"fmt"
	"maps"
	"slices"
	"strconv"
	"strings"
)

// A Host is one column of the table.
type Host struct {
	Name   string
	Source string             // where the rates come from
	Rates  map[string]float64 // operations a second, by kind
}

// Default is the name of the host that is used if none is named.
const Default = "xeon"

// All returns the table. A kind is the name of a benchmark of the NAS suite; its operations are those that
// the benchmark counts for its Mop/s.
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
		{
			Name: "pentium3",
			Source: "chosen for a Pentium III of 933 MHz with PC133 SDRAM (martini, section 12.1), which has no stated rates: an operation in 8 to 9 clocks where blocks stay in the caches (bt, lu), " +
				"in 9 to 16 where memory of 300 Mbyte/s copied limits (mg, ft, sp, cg); 100 clocks for a key of is, 190 for a random number of ep with its part of root and logarithm",
			Rates: map[string]float64{
				"ep": 5e+06,
				"cg": 6e+07,
				"mg": 1e+08,
				"ft": 9e+07,
				"is": 9e+06,
				"lu": 1.1e+08,
				"sp": 8e+07,
				"bt": 1.1e+08,
			},
		},
	}
}

// Parse parses NAME, or NAME,KIND=RATE,...: the rates of a host with changes.
func Parse(text string) (map[string]float64, error) {
	name, changes, some := strings.Cut(text, ",")
	rates, err := Rates(name)
	if err != nil || !some {
		return rates, err
	}
	for c := range strings.SplitSeq(changes, ",") {
		kind, value, _ := strings.Cut(c, "=")
		rate, err := strconv.ParseFloat(value, 64)
		if _, there := rates[kind]; !there || err != nil || !(rate > 0 && rate <= 1e18) {
			return nil, fmt.Errorf("%q is not KIND=RATE with a kind of %s and operations a second", c, strings.Join(slices.Sorted(maps.Keys(rates)), ", "))
		}
		rates[kind] = rate
	}
	return rates, nil
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
