package cfd

// operatorGo is the plain form of the operator kernel.
func operatorGo(a *opArgs) {
	for x := a.skip; x < a.n; x++ {
		acc := operatorPoint(a, x)
		for m, v := range acc {
			a.r[a.rAt+x+a.off[offR+m]/8] = v
		}
	}
}

// operatorTransformGo is operatorGo followed by SP's T_in.
func operatorTransformGo(a *opArgs) {
	for x := a.skip; x < a.n; x++ {
		r := operatorPoint(a, x)
		at := func(m int) float64 { return a.u[a.uAt+x+a.off[offU+m]/8] }
		v := transformIn(r, at(1), at(2), at(3), at(Reciprocal), at(Sound))
		for m, v := range v {
			a.r[a.rAt+x+a.off[offR+m]/8] = v
		}
	}
}

// transformIn changes from the unknowns to the eigenvectors of the first solve
// (SP, section "pointwise transforms", T_in); m1..m3 are momenta.
func transformIn(r [Components]float64, m1, m2, m3, reciprocal, c float64) [Components]float64 {
	v1, v2, v3 := m1*reciprocal, m2*reciprocal, m3*reciprocal
	q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
	w1 := C2 / (c * c) * (q*r[0] - v1*r[1] - v2*r[2] - v3*r[3] + r[4])
	w2 := rootHalf * reciprocal * (v1*r[0] - r[1])
	w3 := rootHalf * c * reciprocal * w1
	return [Components]float64{
		r[0] - w1,
		(r[3] - v3*r[0]) * reciprocal,
		(v2*r[0] - r[2]) * reciprocal,
		w3 - w2,
		w3 + w2,
	}
}

// operatorPoint returns scale*R(U) - f at point x of the run.
func operatorPoint(a *opArgs, x int) (acc [Components]float64) {
	u, off, c := a.u, a.off, a.coef
	at := a.uAt + x
	rAt := a.rAt + x
	coef := [3][]float64{
		c[a.cx[a.cxAt+x/Lanes]/8+x%Lanes:],
		c[a.cy[a.cyAt+a.cyStep/8*(x/Lanes)]/8+x%Lanes:],
		c[a.cz/8+x%Lanes:],
	}
	center := coef[0][2*Lanes] + coef[1][2*Lanes] + coef[2][2*Lanes]
	for m := range acc {
		acc[m] = center*u[at+off[offU+m]/8] - a.f[rAt+off[offR+m]/8]
	}
	reciprocal := u[at+off[offU+Reciprocal]/8]
	momenta := 0.0
	for b := 1; b <= 3; b++ {
		m := u[at+off[offU+b]/8]
		momenta += m * m
		acc[b] += c[opVisc0*Lanes] * m * reciprocal
	}
	energy := u[at+off[offU+4]/8]
	acc[4] += reciprocal * (c[opEnergy0*Lanes]*energy + c[opKinetic0*Lanes]*0.5*momenta*reciprocal)

	for d := range 3 {
		for side := range 2 {
			near := off[offNear+(d*2+side)*6:][:6]
			far := off[offFar+(d*2+side)*5:][:5]
			cNear, cFar := coef[d][(1+2*side)*Lanes], coef[d][4*side*Lanes]
			var w [6]float64
			for m := range w {
				w[m] = u[at+near[m]/8]
			}
			for m := range acc {
				acc[m] += cNear*w[m] + cFar*u[at+far[m]/8]
			}
			addFluxes(&acc, c, &w, d, c[(opPlusT2-side)*Lanes])
		}
	}
	return acc
}

// addFluxes adds what the neighbour w in direction d contributes by convection,
// with the weight t2, and by viscosity.
func addFluxes(acc *[Components]float64, c []float64, w *[6]float64, d int, t2 float64) {
	reciprocal := w[Reciprocal]
	kinetic := 0.5 * reciprocal * (w[1]*w[1] + w[2]*w[2] + w[3]*w[3])
	phi := C2 * (w[4] - kinetic)
	vd := w[1+d] * reciprocal
	s := t2 * vd
	visc := c[opVisc*Lanes]
	acc[0] += t2 * w[1+d]
	acc[1] += s*w[1] + visc*reciprocal*w[1]
	acc[2] += s*w[2] + visc*reciprocal*w[2]
	acc[3] += s*w[3] + visc*reciprocal*w[3]
	acc[1+d] += t2*phi + (c[opVisc43*Lanes]-visc)*vd
	acc[4] += s*(w[4]+phi) + reciprocal*(c[opEnergy*Lanes]*w[4]+c[opKinetic*Lanes]*kinetic) + c[opSquare*Lanes]*vd*vd
}
