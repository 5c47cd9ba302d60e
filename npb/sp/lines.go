package sp

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// For each point and line, elimination stores alpha and beta of the three factors, and the five right-hand
// sides, which substitution replaces by the solutions (section 4.3).
const (
	stateAlpha = 0 // of factors 0, +, -
	stateBeta  = 3
	stateY     = 6
	stateWidth = 11
)

// Indices of the lane constants. The generator has the same list.
const (
	conT2    = iota // dt*t2
	conSigma        // dt*t1*1.96*kappa, the part of sigma that is multiplied by 1/rho
	conTwo
	conHalf
	conRoot // sqrt(1/2)
	conOne
	conFive // 2.5 = 1/c2
	conZero
	conSound // c1*c2
	consts
)

// newLines returns the pentadiagonal systems of a grid.
func newLines(n int, dt float64, level nas.Level) *cfd.Lines {
	t1, t2 := cfd.Steps(n)
	var c [consts]float64
	c[conT2], c[conSigma] = dt*t2, dt*t1*cfd.C1C5*cfd.Kappa
	c[conTwo], c[conHalf], c[conRoot], c[conOne], c[conFive] = 2, 0.5, rootHalf, 1, 1/cfd.C2
	c[conSound] = cfd.C1 * cfd.C2
	forward, backward := passes(level)
	lines := &cfd.Lines{
		Width: stateWidth, Y: stateY, Lead: 2,
		Forward: forward, Backward: backward,
		Needs: [][2]int{{1, 2}, {cfd.Reciprocal, cfd.Sound + 1}}, // along x
		Frame: cfd.NewFrame(c[:]),
	}
	for d := range 3 {
		lines.Rows[d] = rows(n, d, dt)
	}
	return lines
}

// rootHalf is sqrt(1/2).
const rootHalf = 0.70710678118654752440

// rows returns the part of the matrix rows of direction d that is the same for all lines: five coefficients
// for each global index.
func rows(n, d int, dt float64) []float64 {
	t1, _ := cfd.Steps(n)
	second := dt * t1 * cfd.Dissipation2(d)
	out := make([]float64, 0, n*cfd.RowWidth)
	for g := range n {
		row := cfd.DissipationRow(n, g)
		for c := range row {
			row[c] *= dt * cfd.Dissipation4
		}
		row[1] -= second
		row[2] += 1 + 2*second
		row[3] -= second
		out = append(out, row[:]...)
	}
	return out
}
