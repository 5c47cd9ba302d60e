package ep

import (
	"fmt"

	"rhinet/npb/nas"
)

// result verifies the sums.
func result(cfg nas.Config, p params, t *tally) nas.Result {
	problem, _ := Describe(cfg.Class)
	r := nas.Result{
		Problem:   problem,
		Operation: operation,
		Checks: []nas.Check{
			nas.Relative("sum of X", t.sums[0], p.sx, tolerance),
			nas.Relative("sum of Y", t.sums[1], p.sy, tolerance),
		},
		Details: []string{
			fmt.Sprintf("N = 2^%d", p.m),
			fmt.Sprintf("No. Gaussian Pairs = %d", t.pairs()),
			fmt.Sprintf("Sums = %.15e %.15e", t.sums[0], t.sums[1]),
			"Counts:",
		},
	}
	for i, n := range t.q {
		r.Details = append(r.Details, fmt.Sprintf("%d %15d", i, n))
	}
	r.Verdict = nas.Judge(true, r.Checks)
	return r
}
