package ft

import (
	"fmt"
	"math"
	"math/cmplx"

	"rhinet/npb/nas"
)

// judge compares the checksums with those of the class. The difference is the
// modulus of the relative difference; computed and reference are moduli.
func (p *params) judge(class nas.Class, niter int, verifiable bool, sums []complex128) nas.Result {
	r := nas.Result{
		Problem: nas.Problem{
			Kernel: name, Class: class, Size: nas.Grid(p.nx, p.ny, p.nz), Iterations: niter,
		},
		Operation: nas.FloatingPoint,
	}
	if !verifiable {
		r.Class = nas.Unknown
	}
	for i, sum := range sums {
		r.Details = append(r.Details, fmt.Sprintf("T = %4d     Checksum = %.12e %.12e", i+1, real(sum), imag(sum)))
		check := nas.Computed(fmt.Sprintf("checksum %d", i+1), cmplx.Abs(sum))
		// Single checksums can be compared also if their number is not the class's.
		if i < len(p.checksums) {
			ref := p.checksums[i]
			check.Reference = cmplx.Abs(ref)
			check.Difference = cmplx.Abs((sum - ref) / ref)
			check.OK = !math.IsNaN(check.Difference) && check.Difference <= tolerance
		}
		r.Checks = append(r.Checks, check)
	}
	r.Verdict = nas.Judge(verifiable, r.Checks)
	return r
}
