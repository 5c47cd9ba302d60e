package cfd

import (
	"fmt"

	"rhinet/mpi"
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

// FinishResult fills in the time, the rate from the operations of all steps, and
// the phases. It is collective.
func FinishResult(world *mpi.Comm, res *nas.Result, t *nas.Timers, seconds, operations float64) error {
	var err error
	if res.Seconds, err = nas.MaxSeconds(world, seconds); err != nil {
		return err
	}
	if res.Phases, err = t.Gather(world); err != nil {
		return err
	}
	res.Mops = nas.Rate(operations, res.Seconds)
	return nil
}
