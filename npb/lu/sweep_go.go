package lu

import "rhinet/npb/cfd"

type vector = [cfd.Components]float64

func kernelsGo() kernels { return kernels{lowerGo, upperGo, advanceGo} }

// lowerGo is the plain form of the lower sweep:
// v = Dg^-1 * (dt*v - omega*(sum of Lo_d times the lower neighbours' v)).
func lowerGo(a *sweepArgs) {
	dt := a.consts[conDt*cfd.Lanes]
	for x := a.skip; x < a.n; x++ {
		var acc vector
		for m := range acc {
			acc[m] = dt * a.v[a.vAt+x+a.off[offV+m]/8]
		}
		addNeighbours(a, x, &acc)
		acc = solveDiagonal(a, x, acc)
		for m, w := range acc {
			a.v[a.vAt+x+a.off[offV+m]/8] = w
		}
	}
}

// upperGo is the plain form of the upper sweep:
// v = v - Dg^-1 * omega*(sum of Up_d times the upper neighbours' v).
func upperGo(a *sweepArgs) {
	for x := a.skip; x < a.n; x++ {
		var acc vector
		addNeighbours(a, x, &acc)
		acc = solveDiagonal(a, x, acc)
		for m, w := range acc {
			a.v[a.vAt+x+a.off[offV+m]/8] += w
		}
	}
}

// advanceGo adds the relaxed correction to the state.
func advanceGo(a *sweepArgs) {
	relax := a.consts[conRelax*cfd.Lanes]
	for x := a.skip; x < a.n; x++ {
		for m := range cfd.Components {
			a.u[a.uAt+x+a.off[offU+m]/8] += relax * a.v[a.vAt+x+a.off[offV+m]/8]
		}
		a.u[a.uAt+x+a.off[offU+cfd.Reciprocal]/8] = 1 / a.u[a.uAt+x]
	}
}

// addNeighbours adds -omega times the off-diagonal blocks of the three neighbours,
// applied to their v. Instead of the blocks it forms the derivatives of the fluxes
// in the direction of v: A*v and N*v of the specification (section 1.7).
func addNeighbours(a *sweepArgs, x int, acc *vector) {
	c := a.consts
	t2 := c[conT2*cfd.Lanes]
	c2 := c[conC2*cfd.Lanes]
	for d := range 3 {
		uOff, vOff := a.off[offU+6*(d+1):][:6], a.off[offV+cfd.Components*(d+1):][:cfd.Components]
		var w vector
		for m := range w {
			w[m] = a.v[a.vAt+x+vOff[m]/8]
		}
		r := a.u[a.uAt+x+uOff[cfd.Reciprocal]/8]
		var v, y [4]float64
		q, vy := 0.0, 0.0
		for b := 1; b <= 3; b++ {
			v[b] = r * a.u[a.uAt+x+uOff[b]/8]
			y[b] = w[b] - v[b]*w[0]
			q += 0.5 * v[b] * v[b]
			vy += v[b] * y[b]
		}
		e := r * a.u[a.uAt+x+uOff[4]/8]
		vd, z := v[1+d], y[1+d]
		phi := c2 * (w[4] - q*w[0] - vy)
		enthalpy := c[conC1*cfd.Lanes]*e - c2*q

		dissipation := c[conD*cfd.Lanes]
		if d == 2 {
			dissipation = c[conDz*cfd.Lanes]
		}
		for m := range acc {
			acc[m] += dissipation * w[m]
		}
		visc := c[conVisc*cfd.Lanes] * r
		acc[0] += t2 * w[1+d]
		for b := 1; b <= 3; b++ {
			acc[b] += t2*(v[b]*z+vd*w[b]) + visc*y[b]
		}
		third := c[conThird*cfd.Lanes] * r * z
		acc[1+d] += t2*phi + third
		acc[4] += t2*(vd*(phi+w[4])+enthalpy*z) +
			r*(c[conMix*cfd.Lanes]*vy+c[conHeat*cfd.Lanes]*(w[4]-e*w[0])) + third*vd
	}
}

// solveDiagonal returns Dg^-1 * acc. Dg is lower triangular, with entries off the
// diagonal only in its first column and last row.
func solveDiagonal(a *sweepArgs, x int, acc vector) vector {
	c := a.consts
	r := a.u[a.uAt+x+a.off[offU+cfd.Reciprocal]/8]
	d0 := c[conD0*cfd.Lanes]
	visc := c[conDiagVisc*cfd.Lanes] * r
	heat := c[conDiagHeat*cfd.Lanes] * r
	w := vector{c[conInvD0*cfd.Lanes] * acc[0]}
	inverse := 1 / (d0 + visc)
	vy := 0.0
	for b := 1; b <= 3; b++ {
		v := r * a.u[a.uAt+x+a.off[offU+b]/8]
		w[b] = (acc[b] + visc*v*w[0]) * inverse
		vy += v * (w[b] - v*w[0])
	}
	e := r * a.u[a.uAt+x+a.off[offU+4]/8]
	w[4] = (acc[4] - c[conDiagMix*cfd.Lanes]*r*vy + heat*e*w[0]) / (d0 + heat)
	return w
}
