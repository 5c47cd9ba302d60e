package dimmnet2

import (
	"errors"
	"slices"
	"testing"

	"rhinet/bench"
	"rhinet/nicemu/dimmnet2/timed"
)

// TestRun: each experiment has its curves over its sizes (section 12), and gives the same figures when
// repeated.
func TestRun(t *testing.T) {
	for name, points := range map[string]int{"send": 2 * 62, "stream": 2 * 186, "receive": 3 * 62, "vectors": 7 * 128} {
		rows, err := Run(name, timed.Parameters())
		if err != nil || len(rows) != points {
			t.Errorf("%s: %d points, %v", name, len(rows), err)
			continue
		}
		if again, _ := Run(name, timed.Parameters()); !slices.Equal(rows, again) {
			t.Errorf("%s: another run differs", name)
		}
		if _, err := Plot(rows); err != nil {
			t.Error(err)
		}
	}
	if _, err := Run("both", timed.Parameters()); !errors.Is(err, bench.ErrInput) {
		t.Error(err)
	}
}
