package rapidseed_test

import (
	"flag"
	"testing"

	"pgregory.net/rapid"
	_ "rhinet/internal/rapidseed"
)

// TestSameValues checks that two runs of a property draw the same values.
func TestSameValues(t *testing.T) {
	var runs [2][]int
	for i := range runs {
		rapid.Check(t, func(r *rapid.T) { runs[i] = append(runs[i], rapid.Int().Draw(r, "n")) })
	}
	if len(runs[0]) != len(runs[1]) {
		t.Fatalf("seed %s: %d and %d values", flag.Lookup("rapid.seed").Value, len(runs[0]), len(runs[1]))
	}
	for i, n := range runs[0] {
		if runs[1][i] != n {
			t.Fatalf("seed %s: value %d is %d, then %d", flag.Lookup("rapid.seed").Value, i, n, runs[1][i])
		}
	}
}
