package nastest

import (
	_ "embed"
	"encoding/json"
	"slices"
	"testing"

	"rhinet/npb/nas"
)

// publishedJSON is a second copy of the values published for each kernel and class in the NAS Parallel
// Benchmarks 3.4: parameters, then reference values.
//
//	bt, sp  edge, steps, length of a step; residual and error norms
//	cg      order, nonzeros per vector, iterations, shift; eigenvalue
//	ep      log2 of the pairs; sums of X and Y
//	ft      edges, iterations; checksums, real and imaginary part
//	is      log2 of keys, values, buckets, fewest and most processes; positions of
//	        five keys, and their ranks in ten iterations
//	lu      as bt, and the surface integral
//	mg      edge, cycles; norm of the residual
//
//go:embed published.json
var publishedJSON []byte

// published compares all values in a kernel's class table with the copy; they must be exactly equal.
func (s Suite) published(t *testing.T) {
	var all map[string]map[string][]float64
	if err := json.Unmarshal(publishedJSON, &all); err != nil {
		t.Fatal(err)
	}
	for _, class := range nas.Classes() {
		want := all[s.Kernel.Name][class.String()]
		if got := s.Published(class); len(want) == 0 || !slices.Equal(got, want) {
			t.Errorf("class %s has %v, published is %v", class, got, want)
		}
	}
}
