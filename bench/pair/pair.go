package pair

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"time"

	"rhinet/bench"
)

// A Side is what one of the two processes has open. Run carries out reps
// repetitions of a series; both sides run it at the same time.
type Side interface {
	Run(series, bytes, reps int) error
	Close() error
}

// A Series is one kind of repetition, measured over sizes.
type Series struct {
	Name     string // of its rows
	Sizes    []int  // bytes, when none are named
	Min, Max int    // bytes
	Unit     int    // sizes are multiples of it
	Scale    float64
	Moves    float64 // message sizes moved in the reported time; 0: no throughput
	Half     bool    // ends with a row for the size of half the peak throughput
}

// ErrInput marks errors of the user's input.
var ErrInput = errors.New("bad input")

// Check reports what is wrong with measuring sizes by any of the series.
func Check(all []Series, sizes []int) error {
	for _, n := range sizes {
		if fits := func(s Series) bool { return s.Fits(n) }; !slices.ContainsFunc(all, fits) {
			s := all[0]
			switch {
			case s.Max == 0:
				return fmt.Errorf("%w: size %d: %s has no message; leave --sizes out", ErrInput, n, s.Name)
			case s.Unit == 1:
				return fmt.Errorf("%w: size %d; %s takes %d to %d bytes", ErrInput, n, s.Name, s.Min, s.Max)
			}
			return fmt.Errorf("%w: size %d; %s takes multiples of %d from %d to %d bytes", ErrInput, n, s.Name, s.Unit, s.Min, s.Max)
		}
	}
	return nil
}

// Powers returns the powers of two from low, which is one, to high.
func Powers(low, high int) (sizes []int) {
	for n := low; n <= high; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// Fits reports whether the series can be measured at n bytes.
func (s Series) Fits(n int) bool { return n >= s.Min && n <= s.Max && n%s.Unit == 0 }

// The repetition policy of package bench.
const (
	batches = 5
	probes  = 3
	maxReps = 100000
)

// Measure measures one series at its sizes, or at those of opts that it can
// take, and reports rows for a job of the given number of nodes. timed returns
// the seconds of one of reps repetitions.
func Measure(s Series, nodes int, opts bench.Options, timed func(bytes, reps int) (float64, error), report func(bench.Row)) error {
	sizes := s.Sizes
	if opts.Sizes != nil {
		sizes = opts.Sizes
	}
	var rows []bench.Row
	for _, n := range sizes {
		if !s.Fits(n) {
			continue // another series takes it
		}
		row, err := s.measure(n, opts.Budget, timed)
		if err != nil {
			return err
		}
		row.Ranks = nodes
		rows = append(rows, row)
		report(row)
	}
	if half, ok := Half(rows); ok && s.Half {
		half.Test, half.Ranks = s.Name+"-half", nodes
		report(half)
	}
	return nil
}

func (s Series) measure(n int, budget time.Duration, timed func(int, int) (float64, error)) (row bench.Row, err error) {
	var once float64
	for range 2 { // the first finds cold caches and connections
		if once, err = timed(n, probes); err != nil {
			return row, err
		}
	}
	reps := min(max(int(budget.Seconds()/batches/once), 1), maxReps)
	var t [batches]float64
	if _, err = timed(n, reps); err != nil {
		return row, err
	}
	for i := range t {
		if t[i], err = timed(n, reps); err != nil {
			return row, err
		}
	}
	slices.Sort(t[:])
	median := t[batches/2]
	row = bench.Row{Test: s.Name, Bytes: n, Repetitions: reps, Microsecs: median * s.Scale * 1e6, Spread: (t[batches-1] - t[0]) / median}
	row.MBPerSec = float64(n) * s.Moves / (median * s.Scale) / 1e6
	return row, nil
}

// Half returns the size, in Bytes, at which throughput first reaches half its
// peak, in MBPerSec: Size_half (martini, section 13, E5), between two measured
// sizes by a straight line.
func Half(rows []bench.Row) (bench.Row, bool) {
	if len(rows) < 2 {
		return bench.Row{}, false
	}
	half := slices.MaxFunc(rows, func(a, b bench.Row) int { return int(math.Copysign(1, a.MBPerSec-b.MBPerSec)) }).MBPerSec / 2
	if half <= 0 {
		return bench.Row{}, false
	}
	i := slices.IndexFunc(rows, func(r bench.Row) bool { return r.MBPerSec >= half })
	size := float64(rows[i].Bytes)
	if i > 0 {
		a, b := rows[i-1], rows[i]
		size = float64(a.Bytes) + float64(b.Bytes-a.Bytes)*(half-a.MBPerSec)/(b.MBPerSec-a.MBPerSec)
	}
	return bench.Row{Bytes: int(math.Round(size)), MBPerSec: half}, true
}
