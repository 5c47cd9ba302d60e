package ep

import (
	"fmt"

	"rhinet/mpi"
	"rhinet/npb/nas"
)

// result judges the sums and fills in the report.
func result(world *mpi.Comm, cfg nas.Config, p params, t *tally, seconds float64, phases []nas.PhaseTime) nas.Result {
	problem, _ := Describe(cfg.Class)
	r := nas.Result{
		Problem:   problem,
		Seconds:   seconds,
		Processes: world.Size(),
		Active:    world.Size(),
		Mops:      nas.Rate(float64(problem.Size.Count), seconds),
		Operation: operation,
		Checks: []nas.Check{
			nas.Relative("sum of X", t.sums[0], p.sx, tolerance),
			nas.Relative("sum of Y", t.sums[1], p.sy, tolerance),
		},
		Phases: phases,
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
