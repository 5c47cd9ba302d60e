package bench

import (
	"errors"
	"fmt"
	"math"
	"slices"
	"strings"
)

// A Test is one measurement over message sizes, at any level.
type Test struct {
	Name     string  // of its rows
	About    string  // one line for lists
	Sizes    []int   // in bytes, if none are named
	Min, Max int     // bytes
	Unit     int     // sizes are multiples of it
	Scale    float64 // the time of a repetition times Scale is reported (0.5: one way of a round trip)
	Moves    float64 // message sizes that one side moves in the reported time; 0: no throughput
	Half     bool    // ends with a row for the size of half the peak throughput
	Peers    bool    // the peers' program has it under the same name (bench/peer)
}

// A Row is one measured cell.
type Row struct {
	Test        string  `json:"test"`
	Ranks       int     `json:"ranks"`
	Bytes       int     `json:"bytes"`
	Repetitions int     `json:"repetitions"`          // of a batch
	Microsecs   float64 `json:"usec"`                 // time of one repetition, by the test's scale
	MBPerSec    float64 `json:"MB_s"`                 // 10^6 bytes moved by one rank in a second
	Spread      float64 `json:"spread"`               // (slowest - fastest batch) / median batch
	Least       float64 `json:"usec_least,omitempty"` // of the fastest batch
	Most        float64 `json:"usec_most,omitempty"`  // of the slowest batch
}

// ErrInput marks errors of the user's input.
var ErrInput = errors.New("bad input")

// Input marks an error of the user's input as ErrInput, nil as nil. If its text begins with that of one of
// the marks, as in "package: what", the package's name is removed.
func Input(err error, marks ...error) error {
	switch {
	case err == nil:
		return nil
	case len(marks) == 0:
		return fmt.Errorf("%w: %w", ErrInput, err)
	}
	text := err.Error()
	for _, of := range marks {
		if errors.Is(err, of) {
			_, plain, _ := strings.Cut(of.Error(), ": ")
			text = strings.ReplaceAll(text, of.Error(), plain)
		}
	}
	return fmt.Errorf("%w: %s", ErrInput, text)
}

// Powers returns the powers of two from low, which must be one, to high.
func Powers(low, high int) (sizes []int) {
	for n := low; n <= high; n *= 2 {
		sizes = append(sizes, n)
	}
	return sizes
}

// Fits reports whether the test can be measured at n bytes.
func (t Test) Fits(n int) bool { return n >= t.Min && n <= t.Max && n%t.Unit == 0 }

// CheckSizes reports a size at which none of the tests can be measured, an ErrInput.
func CheckSizes(tests []Test, sizes []int) error {
	for _, n := range sizes {
		if slices.ContainsFunc(tests, func(t Test) bool { return t.Fits(n) }) {
			continue
		}
		t := tests[0]
		switch {
		case t.Max == 0:
			return fmt.Errorf("%w: size %d: %s has no message; leave --sizes out", ErrInput, n, t.Name)
		case t.Unit == 1:
			return fmt.Errorf("%w: size %d; %s takes %d to %d bytes", ErrInput, n, t.Name, t.Min, t.Max)
		}
		return fmt.Errorf("%w: size %d; %s takes multiples of %d from %d to %d bytes", ErrInput, n, t.Name, t.Unit, t.Min, t.Max)
	}
	return nil
}

// Measure measures the test at its sizes, or at those of the given sizes that are valid for it, and reports
// rows for a job with the given number of nodes. timed runs reps repetitions of a size and returns the
// seconds of one.
func (t Test) Measure(p Policy, nodes int, sizes []int, timed func(bytes, reps int) (float64, error), report func(Row)) error {
	if sizes == nil {
		sizes = t.Sizes
	}
	var rows []Row
	for _, n := range sizes {
		if !t.Fits(n) {
			continue // another test takes it
		}
		reps, batches, err := p.Run(n, func(reps int) (mine, slowest float64, err error) {
			mine, err = timed(n, reps)
			return mine, mine, err
		})
		if err != nil {
			return err
		}
		row := t.Row(n, reps, batches)
		row.Ranks = nodes
		rows = append(rows, row)
		report(row)
	}
	if half, ok := Half(rows); ok && t.Half {
		half.Test, half.Ranks = t.Name+"-half", nodes
		report(half)
	}
	return nil
}

// Row returns the row of a size: the median of the batches, each of which is the seconds of one repetition.
func (t Test) Row(bytes, reps int, batches []float64) Row {
	batches = slices.Sorted(slices.Values(batches))
	median := batches[len(batches)/2]
	row := Row{Test: t.Name, Bytes: bytes, Repetitions: reps, Microsecs: median * t.Scale * 1e6,
		Least: batches[0] * t.Scale * 1e6, Most: batches[len(batches)-1] * t.Scale * 1e6}
	if median > 0 {
		row.MBPerSec = float64(bytes) * t.Moves / (median * t.Scale) / 1e6
		row.Spread = (batches[len(batches)-1] - batches[0]) / median
	}
	return row
}

// Half returns the size, in Bytes, at which throughput first reaches half its peak, and that throughput in
// MBPerSec: Size_half (martini, section 13, E5), by linear interpolation between two measured sizes.
func Half(rows []Row) (Row, bool) {
	if len(rows) < 2 {
		return Row{}, false
	}
	half := slices.MaxFunc(rows, func(a, b Row) int { return int(math.Copysign(1, a.MBPerSec-b.MBPerSec)) }).MBPerSec / 2
	if half <= 0 {
		return Row{}, false
	}
	i := slices.IndexFunc(rows, func(r Row) bool { return r.MBPerSec >= half })
	size := float64(rows[i].Bytes)
	if i > 0 {
		a, b := rows[i-1], rows[i]
		size = float64(a.Bytes) + float64(b.Bytes-a.Bytes)*(half-a.MBPerSec)/(b.MBPerSec-a.MBPerSec)
	}
	return Row{Bytes: int(math.Round(size)), MBPerSec: half}, true
}
