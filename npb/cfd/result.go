package cfd

import (
	"fmt"

	"rhinet/npb/nas"
)

// NormChecks compares the five components of a norm with their reference values,
// if there are any.
func NormChecks(verifiable bool, name string, computed, reference [Components]float64) []nas.Check {
	checks := make([]nas.Check, Components)
	for m := range checks {
		label := fmt.Sprintf("%s %d", name, m+1)
		if verifiable {
			checks[m] = nas.Relative(label, computed[m], reference[m], Tolerance)
		} else {
			checks[m] = nas.Computed(label, computed[m])
		}
	}
	return checks
}
