package nas

import (
	"fmt"
	"math"
)

// A Verdict is the outcome of verification. Its zero value is NotVerified.
type Verdict uint8

// The verdicts. NotVerified means that no reference values exist for the
// parameters of the run.
const (
	NotVerified Verdict = iota
	Successful
	Unsuccessful
)

// String is the word of the NPB report.
func (v Verdict) String() string {
	switch v {
	case NotVerified:
		return "NOT PERFORMED"
	case Successful:
		return "SUCCESSFUL"
	case Unsuccessful:
		return "UNSUCCESSFUL"
	}
	return fmt.Sprintf("Verdict(%d)", uint8(v))
}

// MarshalText writes the word of the report.
func (v Verdict) MarshalText() ([]byte, error) { return []byte(v.String()), nil }

// A Check is one computed quantity with its reference value.
type Check struct {
	Name       string
	Computed   float64
	Reference  float64
	Difference float64 // relative, unless the kernel says otherwise
	OK         bool
}

// Relative tests |computed-reference|/|reference| <= tolerance. A NaN fails.
func Relative(name string, computed, reference, tolerance float64) Check {
	d := math.Abs((computed - reference) / reference)
	return Check{name, computed, reference, d, d <= tolerance}
}

// Absolute tests |computed-reference| <= tolerance. A NaN fails.
func Absolute(name string, computed, reference, tolerance float64) Check {
	d := math.Abs(computed - reference)
	return Check{name, computed, reference, d, d <= tolerance}
}

// Computed returns a Check of a quantity for which the run has no reference value.
func Computed(name string, computed float64) Check {
	return Check{Name: name, Computed: computed, Reference: math.NaN(), Difference: math.NaN()}
}

// Judge returns NotVerified if the run is not verifiable or nothing was checked; otherwise Successful if
// all checks are OK, and Unsuccessful if not.
func Judge(verifiable bool, checks []Check) Verdict {
	if !verifiable || len(checks) == 0 {
		return NotVerified
	}
	for _, c := range checks {
		if !c.OK {
			return Unsuccessful
		}
	}
	return Successful
}
