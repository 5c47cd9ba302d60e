package mg

import (
	"fmt"

	"rhinet/npb/nas"
)

// judge compares the norm of the residual with that of the class.
func (p *params) judge(class nas.Class, niter int, verifiable bool, rnm2 float64) nas.Result {
	r := nas.Result{
		Problem: nas.Problem{
			Kernel: name, Class: class, Size: nas.Grid(p.n, p.n, p.n), Iterations: niter,
		},
		Operation: nas.FloatingPoint,
		Details:   []string{fmt.Sprintf("%d levels", nas.Log2(p.n))},
	}
	if verifiable {
		r.Checks = []nas.Check{nas.Relative("L2 norm of the residual", rnm2, p.rnm2, tolerance)}
	} else {
		r.Class = nas.Unknown
		r.Checks = []nas.Check{nas.Computed("L2 norm of the residual", rnm2)}
	}
	r.Verdict = nas.Judge(verifiable, r.Checks)
	return r
}
