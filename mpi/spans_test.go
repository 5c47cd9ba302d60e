package mpi

import (
	"math/rand/v2"
	"slices"
	"testing"
)

// TestSpansFindWhatTouches: one of them, and all, against a look at each.
func TestSpansFindWhatTouches(t *testing.T) {
	rng := rand.New(rand.NewPCG(1, 4))
	var s spans
	var all []*guard
	for step := range 20_000 {
		if len(all) > 0 && rng.IntN(20) >= 10 || len(all) > 30 {
			i := 0 // most often the first that came
			if rng.IntN(3) == 0 {
				i = rng.IntN(len(all))
			}
			s.remove(all[i])
			all = slices.Delete(all, i, i+1)
			continue
		}
		from := uintptr(1000 + rng.IntN(400))
		if rng.IntN(2) == 0 {
			from = 1000 + uintptr(step%50)*8
		}
		g := &guard{from: from, to: from + 1 + uintptr(rng.IntN([]int{1, 8, 8, 100}[rng.IntN(4)]))}
		want := slices.DeleteFunc(slices.Clone(all), func(o *guard) bool { return o.from >= g.to || g.from >= o.to })
		if o := s.touching(g); (o != nil) != (len(want) > 0) || o != nil && !slices.Contains(want, o) {
			t.Fatalf("step %d: %+v touches %+v; want one of %d", step, g, o, len(want))
		}
		got := slices.Collect(s.around(g))
		if slices.ContainsFunc(want, func(o *guard) bool { return !slices.Contains(got, o) }) || len(got) != len(want) {
			t.Fatalf("step %d: around %+v there are %d; want %d", step, g, len(got), len(want))
		}
		s.add(g)
		all = append(all, g)
	}
}
