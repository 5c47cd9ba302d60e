package host

import (
	"fmt"
	"slices"
	"time"
)

// A Calibration is the speed of two small loops. Machines drift by a factor of two within an hour; figures
// of different times can be compared by scaling them with the speed of the loops.
type Calibration struct {
	Triad float64 `json:"triad_GB_s"`   // a[i] = b[i] + s c[i] over 64 MiB in all, 10^9 bytes a second: memory
	Chain float64 `json:"chain_ns_per"` // one multiply-add that waits for the one before, nanoseconds: the core's clock
}

func (c Calibration) String() string {
	return fmt.Sprintf("triad %.2f GB/s, chain %.3f ns", c.Triad, c.Chain)
}

const (
	triadBytes = 64 << 20
	chainSteps = 10_000_000
	takes      = 5 // the median of this many
)

// Calibrate runs both loops on one core; it takes about half a second.
func Calibrate() Calibration { return calibrate(triadBytes, chainSteps) }

func calibrate(bytes, steps int) Calibration {
	n := bytes / 8 / 3
	a, b, c := make([]float64, n), make([]float64, n), make([]float64, n)
	for i := range b {
		a[i], b[i], c[i] = 0, 1, 2
	}
	var triads, chains []float64
	x := 1.0
	for range takes {
		start := time.Now()
		triad(a, b, c, 3)
		triads = append(triads, float64(24*n)/float64(max(time.Since(start), 1)))
		start = time.Now()
		x = chain(x, 0.999999999, 1e-9, steps)
		chains = append(chains, float64(time.Since(start))/float64(steps))
	}
	if x == 0 || a[0] != 7 {
		panic("host: the calibration computed something else") // the result is used, so that the compiler cannot remove the loops
	}
	slices.Sort(triads)
	slices.Sort(chains)
	return Calibration{triads[takes/2], chains[takes/2]}
}

//go:noinline
func triad(a, b, c []float64, s float64) {
	b, c = b[:len(a)], c[:len(a)]
	for i := range a {
		a[i] = b[i] + s*c[i]
	}
}

//go:noinline
func chain(x, m, d float64, steps int) float64 {
	for range steps {
		x = x*m + d
	}
	return x
}
