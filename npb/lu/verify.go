package lu

import (
	"rhinet/mpi"
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// verify computes the error norm and the surface integral, and compares all results with the reference
// values.
func (s *solver) verify(res *nas.Result, residual [cfd.Components]float64, verifiable bool) error {
	errorNorm, err := s.error()
	if err != nil {
		return err
	}
	surface, err := s.surface()
	if err != nil {
		return err
	}
	res.Checks = cfd.NormChecks(verifiable, "residual", residual, s.params.residual)
	res.Checks = append(res.Checks, cfd.NormChecks(verifiable, "error", errorNorm, s.params.error)...)
	check := nas.Computed("surface integral", surface)
	if verifiable {
		check = nas.Relative(check.Name, surface, s.params.surface, cfd.Tolerance)
	}
	res.Checks = append(res.Checks, check)
	res.Verdict = nas.Judge(verifiable, res.Checks)
	return nil
}

// error returns the norm of U - u* over the interior points. On the boundary the difference is zero except
// for rounding.
func (s *solver) error() ([cfd.Components]float64, error) {
	var sum [cfd.Components]float64
	s.AddErrorSquares(&sum, s.u, &s.ul)
	return cfd.RootMeanSquare(s.comm, sum, s.N)
}

// surface integrates the pressure over the faces of a box inside the grid, which is deliberately asymmetric
// (section 5.6). The sum over quadrilaterals is written as one over points, each multiplied by the number
// of quadrilaterals it is a corner of, so that no rank needs the points of another.
func (s *solver) surface() (float64, error) {
	low, high := [3]int{1, 1, 2}, [3]int{s.N - 2, s.N - 3, s.N - 2}
	sum := 0.0
	for k := low[2]; k <= high[2]; k++ {
		for j := range s.Edge[1] {
			for i := range s.Edge[0] {
				at := [3]int{s.Low[0] + i, s.Low[1] + j, k}
				if w := corners(at, low, high); w > 0 {
					sum += float64(w) * s.pressure(i, j, k)
				}
			}
		}
	}
	total := []float64{0}
	err := mpi.Allreduce(s.comm, []float64{sum}, total, mpi.Sum)
	h := 1 / float64(s.N-1)
	return h * h * total[0] / 4, err
}

// corners counts the quadrilaterals of the faces of a box that meet at a point.
func corners(at, low, high [3]int) int {
	var weight [3]int // along each axis: intervals that end here
	for d := range at {
		switch {
		case at[d] < low[d] || at[d] > high[d]:
			return 0
		case at[d] == low[d] || at[d] == high[d]:
			weight[d] = 1
		default:
			weight[d] = 2
		}
	}
	count := 0
	for d := range at {
		if weight[d] == 1 { // on a face perpendicular to d
			count += weight[(d+1)%3] * weight[(d+2)%3]
		}
	}
	return count
}

// pressure returns c2*(E - K) at a point.
func (s *solver) pressure(i, j, k int) float64 {
	at := s.ul.At(i, j, k)
	var u [cfd.Components]float64
	for m := range u {
		u[m] = s.u[at+m*s.ul.Comp]
	}
	return cfd.C2 * (u[4] - 0.5*(u[1]*u[1]+u[2]*u[2]+u[3]*u[3])/u[0])
}
