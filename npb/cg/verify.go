package cg

import (
	"fmt"

	"rhinet/npb/nas"
)

// judge compares the last estimate of the eigenvalue with the reference value of the class.
func (p *params) judge(class nas.Class, niter int, verifiable bool, zeta float64) nas.Result {
	r := nas.Result{
		Problem: nas.Problem{
			Kernel: name, Class: class, Size: nas.Count(int64(p.na)), Iterations: niter,
		},
		Operation: nas.FloatingPoint,
		Details:   []string{fmt.Sprintf("%d nonzeros per vector, shift %g", p.nonzer, p.shift)},
	}
	if verifiable {
		r.Checks = []nas.Check{nas.Relative("zeta", zeta, p.zeta, tolerance)}
	} else {
		r.Class = nas.Unknown
		r.Checks = []nas.Check{nas.Computed("zeta", zeta)}
	}
	r.Verdict = nas.Judge(verifiable, r.Checks)
	return r
}
