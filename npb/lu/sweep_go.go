package lu

import "rhinet/npb/cfd"

// vector holds the five components at one point, lanes those at several points.
type (
	vector = [cfd.Components]float64
	lanes  = [cfd.Components]cfd.LanesOf
)

const w = cfd.Lanes

func kernelsGo() kernels { return kernels{lowerGo, upperGo, advanceGo} }

// lowerGo is the plain form of the lower sweep:
// v = Dg^-1 * (dt*v - omega*(sum of Lo_d times the lower neighbours' v)).
func lowerGo(a *sweepArgs) {
	dt := a.frame[conDt*w]
	var acc lanes
	for x := 0; x < a.n; x += w {
		for m := range acc {
			v := a.correction(x, 0, m)
			for l := range acc[m] {
				acc[m][l] = dt * v[l]
			}
		}
		addNeighbours(a, x, &acc)
		solveDiagonal(a, x, &acc)
		from, to := a.within(x)
		for m := range acc {
			copy(a.correction(x, 0, m)[from:to], acc[m][from:to])
		}
	}
}

// upperGo is the plain form of the upper sweep:
// v = v - Dg^-1 * omega*(sum of Up_d times the upper neighbours' v).
func upperGo(a *sweepArgs) {
	for x := 0; x < a.n; x += w {
		var acc lanes
		addNeighbours(a, x, &acc)
		solveDiagonal(a, x, &acc)
		from, to := a.within(x)
		for m := range acc {
			addScaled(a.correction(x, 0, m)[from:to], 1, acc[m][from:to])
		}
	}
}

// advanceGo adds the relaxed correction to the state.
func advanceGo(a *sweepArgs) {
	relax := a.frame[conRelax*w]
	for x := 0; x < a.n; x += w {
		from, to := a.within(x)
		for m := range cfd.Components {
			addScaled(a.state(x, 0, m)[from:to], relax, a.correction(x, 0, m)[from:to])
		}
		rho, r := a.state(x, 0, 0)[from:to], a.state(x, 0, cfd.Reciprocal)[from:to]
		r = r[:len(rho)]
		for l, v := range rho {
			r[l] = 1 / v
		}
	}
}

// addScaled sets u += f*v.
func addScaled(u []float64, f float64, v []float64) {
	v = v[:len(u)]
	for l := range u {
		u[l] += f * v[l]
	}
}

// within returns which of the lanes beginning at point x may be written.
func (a *sweepArgs) within(x int) (from, to int) { return max(a.skip-x, 0), min(a.n-x, w) }

// state returns a component of the state at the points from x on (p = 0), or at
// their neighbours in x, y, z (p = 1, 2, 3).
func (a *sweepArgs) state(x, p, m int) *cfd.LanesOf {
	return cfd.LanesAt(a.u, a.uAt+x+a.off[offU+6*p+m]/8)
}

// correction does the same as state, for v.
func (a *sweepArgs) correction(x, p, m int) *cfd.LanesOf {
	return cfd.LanesAt(a.v, a.vAt+x+a.off[offV+cfd.Components*p+m]/8)
}

// addNeighbours adds -omega times the off-diagonal blocks of the three neighbours,
// applied to their v. Instead of the blocks it forms the derivatives of the fluxes
// in the direction of v: A*v and N*v of the specification (section 1.7).
func addNeighbours(a *sweepArgs, x int, acc *lanes) {
	c := (*[consts * w]float64)(a.frame)
	t2, c1, c2 := c[conT2*w], c[conC1*w], c[conC2*w]
	for d := range 3 {
		u1, u2, u3, u4 := a.state(x, d+1, 1), a.state(x, d+1, 2), a.state(x, d+1, 3), a.state(x, d+1, 4)
		w0, w1, w2 := a.correction(x, d+1, 0), a.correction(x, d+1, 1), a.correction(x, d+1, 2)
		w3, w4 := a.correction(x, d+1, 3), a.correction(x, d+1, 4)
		uAlong, wAlong, accAlong := a.state(x, d+1, d+1), a.correction(x, d+1, d+1), &acc[1+d]
		dissipation := c[conD*w]
		if d == 2 {
			dissipation = c[conDz*w]
		}
		for l, r := range a.state(x, d+1, cfd.Reciprocal) {
			v1, v2, v3, vd := r*u1[l], r*u2[l], r*u3[l], r*uAlong[l]
			b0, b1, b2, b3, b4 := w0[l], w1[l], w2[l], w3[l], w4[l]
			y1, y2, y3, z := b1-v1*b0, b2-v2*b0, b3-v3*b0, wAlong[l]-vd*b0
			q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
			vy := v1*y1 + v2*y2 + v3*y3
			e := r * u4[l]
			phi := c2 * (b4 - q*b0 - vy)
			visc := c[conVisc*w] * r
			third := c[conThird*w] * r * z
			acc[0][l] += dissipation*b0 + t2*wAlong[l]
			acc[1][l] += dissipation*b1 + t2*(v1*z+vd*b1) + visc*y1
			acc[2][l] += dissipation*b2 + t2*(v2*z+vd*b2) + visc*y2
			acc[3][l] += dissipation*b3 + t2*(v3*z+vd*b3) + visc*y3
			acc[4][l] += dissipation*b4 + t2*(vd*(phi+b4)+(c1*e-c2*q)*z) +
				r*(c[conMix*w]*vy+c[conHeat*w]*(b4-e*b0)) + third*vd
			accAlong[l] += t2*phi + third
		}
	}
}

// solveDiagonal replaces acc by Dg^-1 * acc. Dg is lower triangular, with entries
// off the diagonal only in its first column and last row.
func solveDiagonal(a *sweepArgs, x int, acc *lanes) {
	c := (*[consts * w]float64)(a.frame)
	d0, invD0 := c[conD0*w], c[conInvD0*w]
	u1, u2, u3, u4 := a.state(x, 0, 1), a.state(x, 0, 2), a.state(x, 0, 3), a.state(x, 0, 4)
	for l, r := range a.state(x, 0, cfd.Reciprocal) {
		visc, heat := c[conDiagVisc*w]*r, c[conDiagHeat*w]*r
		inverse := 1 / (d0 + visc)
		v1, v2, v3, e := r*u1[l], r*u2[l], r*u3[l], r*u4[l]
		w0 := invD0 * acc[0][l]
		w1 := (acc[1][l] + visc*v1*w0) * inverse
		w2 := (acc[2][l] + visc*v2*w0) * inverse
		w3 := (acc[3][l] + visc*v3*w0) * inverse
		vy := v1*(w1-v1*w0) + v2*(w2-v2*w0) + v3*(w3-v3*w0)
		acc[0][l], acc[1][l], acc[2][l], acc[3][l] = w0, w1, w2, w3
		acc[4][l] = (acc[4][l] - c[conDiagMix*w]*r*vy + heat*e*w0) / (d0 + heat)
	}
}
