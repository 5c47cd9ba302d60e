package llc_test

import (
	"slices"
	"testing"

	"rhinet/llc"
	"rhinet/llc/sim"
)

// TestSeedsTakeEveryArrow: the worlds of the simulation lead all machines along all arrows of their pictures,
// again and again, and along no others.
func TestSeedsTakeEveryArrow(t *testing.T) {
	const often = 3
	taken := map[string]int{}
	for seed := range uint64(2000) {
		p := sim.Random(seed)
		p.Trace = func(t llc.Transition) { taken[t.Machine+": "+t.From+" -> "+t.To]++ }
		if err := sim.Check(p); err != nil {
			t.Fatal(err)
		}
	}
	arrows := llc.Arrows()
	for _, a := range arrows {
		if taken[a] < often {
			t.Errorf("%q was taken %d times", a, taken[a])
		}
	}
	for a := range taken {
		if !slices.Contains(arrows, a) {
			t.Errorf("%q is no arrow", a)
		}
	}
}
