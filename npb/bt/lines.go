package bt

import (
	"rhinet/npb/cfd"
	"rhinet/npb/nas"
)

// For each point and line, elimination leaves the block C, by rows, and the right-hand side y, which
// substitution turns into the solution (section 3.2).
const (
	stateC     = 0
	stateY     = 25
	stateWidth = 30
)

// Indices of the lane constants. The generator has the same list.
const (
	conT2     = iota // dt*t2, weight of the convective blocks
	conT2c1          // times c1
	conT2c2          // times c2
	conT2d           // times 2 - c2
	conVisc          // dt*t1*kappa
	conVisc43        // 4/3 of it
	conHeat          // dt*t1*kappa5
	conMix           // conVisc - conHeat
	conThird         // conVisc / 3
	conD             // dt*t1*D in x and y
	conDz            // dt*t1*D in z
	conDiag          // 1 + 2*conD
	conDiagz         // 1 + 2*conDz
	conHalf
	conOne
	conTwo
	conZero
	consts
)

// newLines returns the block-tridiagonal systems of a grid.
func newLines(n int, dt float64, level nas.Level) *cfd.Lines {
	t1, t2 := cfd.Steps(n)
	var c [consts]float64
	c[conT2], c[conT2c1], c[conT2c2], c[conT2d] = dt*t2, dt*t2*cfd.C1, dt*t2*cfd.C2, dt*t2*(2-cfd.C2)
	c[conVisc], c[conVisc43], c[conHeat] = dt*t1*cfd.Kappa, 4.0/3*dt*t1*cfd.Kappa, dt*t1*cfd.Kappa5
	c[conMix], c[conThird] = c[conVisc]-c[conHeat], c[conVisc]/3
	c[conD], c[conDz] = dt*t1*cfd.Dissipation2(0), dt*t1*cfd.Dissipation2(2)
	c[conDiag], c[conDiagz] = 1+2*c[conD], 1+2*c[conDz]
	c[conHalf], c[conOne], c[conTwo] = 0.5, 1, 2
	forward, backward := passes(level)
	return &cfd.Lines{
		Width: stateWidth, Y: stateY, Lead: 1,
		Forward: forward, Backward: backward,
		Needs: [][2]int{{0, cfd.Reciprocal + 1}},
		Frame: cfd.NewFrame(c[:]),
	}
}
