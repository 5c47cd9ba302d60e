package cfd

// LanesOf holds the values of a component at Lanes adjacent points. Loops over its elements need no bounds
// checks, and the points are independent of each other.
type LanesOf = [Lanes]float64

// LanesAt returns the lanes of a field from index at on. Points beyond the end of a run are read, but must
// not be written; layouts have room for that.
func LanesAt(f []float64, at int) *LanesOf { return (*LanesOf)(f[at:]) }

// operatorGo is the plain form of the operator kernel.
func operatorGo(a *opArgs) {
	var acc [Components]LanesOf
	for x := 0; x < a.n; x += Lanes {
		operatorLanes(a, x, &acc)
		a.store(x, &acc)
	}
}

// operatorTransformGo is operatorGo followed by SP's T_in.
func operatorTransformGo(a *opArgs) {
	var acc [Components]LanesOf
	for x := 0; x < a.n; x += Lanes {
		operatorLanes(a, x, &acc)
		at := func(m int) *LanesOf { return LanesAt(a.u, a.uAt+x+a.off[offU+m]/8) }
		transformIn(&acc, at(1), at(2), at(3), at(Reciprocal), at(Sound))
		a.store(x, &acc)
	}
}

// store writes the points from x on that belong to the run.
func (a *opArgs) store(x int, acc *[Components]LanesOf) {
	from, to := max(a.skip-x, 0), min(a.n-x, Lanes)
	for m := range acc {
		copy(a.r[a.rAt+x+from+a.off[offR+m]/8:], acc[m][from:to])
	}
}

// transformIn changes from the unknowns to the eigenvectors of the first solve
// (section 4.2, T_in); m1..m3 are momenta.
func transformIn(r *[Components]LanesOf, m1, m2, m3, reciprocal, sound *LanesOf) {
	for l, c := range sound {
		v1, v2, v3 := m1[l]*reciprocal[l], m2[l]*reciprocal[l], m3[l]*reciprocal[l]
		r0, r1, r2, r3, r4 := r[0][l], r[1][l], r[2][l], r[3][l], r[4][l]
		q := 0.5 * (v1*v1 + v2*v2 + v3*v3)
		w1 := C2 / (c * c) * (q*r0 - v1*r1 - v2*r2 - v3*r3 + r4)
		w2 := rootHalf * reciprocal[l] * (v1*r0 - r1)
		w3 := rootHalf * c * reciprocal[l] * w1
		r[0][l] = r0 - w1
		r[1][l] = (r3 - v3*r0) * reciprocal[l]
		r[2][l] = (v2*r0 - r2) * reciprocal[l]
		r[3][l] = w3 - w2
		r[4][l] = w3 + w2
	}
}

// rowLanes are the five coefficients of the rows of a direction, lane by lane.
type rowLanes = [5 * Lanes]float64

// operatorLanes sets acc to scale*R(U) - f at Lanes points of the run from point x on.
func operatorLanes(a *opArgs, x int, acc *[Components]LanesOf) {
	v := x / Lanes
	rows := [3]*rowLanes{
		(*rowLanes)(a.coef[a.cx[a.cxAt+v]/8:]),
		(*rowLanes)(a.coef[a.cy[a.cyAt+a.cyStep/8*v]/8:]),
		(*rowLanes)(a.coef[a.cz/8:]),
	}
	operatorCentre(a, x, acc, rows[0], rows[1], rows[2])
	for d := range rows {
		for side := range 2 {
			addNeighbour(a, a.uAt+x, acc, rows[d], d, side)
		}
	}
}

// operatorCentre sets acc to the contribution of the point itself.
func operatorCentre(a *opArgs, x int, acc *[Components]LanesOf, cx, cy, cz *rowLanes) {
	u := func(m int) *LanesOf { return LanesAt(a.u, a.uAt+x+a.off[offU+m]/8) }
	f := func(m int) *LanesOf { return LanesAt(a.f, a.rAt+x+a.off[offR+m]/8) }
	u0, u1, u2, u3, u4, reciprocal := u(0), u(1), u(2), u(3), u(4), u(Reciprocal)
	f0, f1, f2, f3, f4 := f(0), f(1), f(2), f(3), f(4)
	visc, energy, kinetic := a.coef[opVisc0*Lanes], a.coef[opEnergy0*Lanes], 0.5*a.coef[opKinetic0*Lanes]
	for l, r := range reciprocal {
		m1, m2, m3 := u1[l], u2[l], u3[l]
		center := cx[2*Lanes+l] + cy[2*Lanes+l] + cz[2*Lanes+l]
		acc[0][l] = center*u0[l] - f0[l]
		acc[1][l] = center*m1 - f1[l] + visc*m1*r
		acc[2][l] = center*m2 - f2[l] + visc*m2*r
		acc[3][l] = center*m3 - f3[l] + visc*m3*r
		acc[4][l] = center*u4[l] - f4[l] + r*(energy*u4[l]+kinetic*(m1*m1+m2*m2+m3*m3)*r)
	}
}

// addNeighbour adds the contributions of the points on one side in direction d: the nearest one contributes
// to all terms, the one after it to the dissipation.
func addNeighbour(a *opArgs, at int, acc *[Components]LanesOf, row *rowLanes, d, side int) {
	offNear := (*[6]int)(a.off[offNear+(d*2+side)*6:])
	offFar := (*[Components]int)(a.off[offFar+(d*2+side)*5:])
	near := func(m int) *LanesOf { return LanesAt(a.u, at+offNear[m]/8) }
	far := func(m int) *LanesOf { return LanesAt(a.u, at+offFar[m]/8) }
	w0, w1, w2, w3, w4, reciprocal := near(0), near(1), near(2), near(3), near(4), near(Reciprocal)
	g0, g1, g2, g3, g4 := far(0), far(1), far(2), far(3), far(4)
	along, accAlong := LanesAt(a.u, at+offNear[1+d]/8), &acc[1+d]
	cNear, cFar := LanesAt(row[:], (1+2*side)*Lanes), LanesAt(row[:], 4*side*Lanes)
	t2 := a.coef[(opPlusT2-side)*Lanes]
	visc := a.coef[opVisc*Lanes]
	more := a.coef[opVisc43*Lanes] - visc // of the momentum along the direction
	energy, kinetic, square := a.coef[opEnergy*Lanes], a.coef[opKinetic*Lanes], a.coef[opSquare*Lanes]
	for l, r := range reciprocal {
		m1, m2, m3, e, md := w1[l], w2[l], w3[l], w4[l], along[l]
		k := 0.5 * r * (m1*m1 + m2*m2 + m3*m3)
		phi := C2 * (e - k)
		vd := md * r
		s := t2 * vd
		cn, cf := cNear[l], cFar[l]
		momentum := cn + (s + visc*r)
		acc[0][l] += cn*w0[l] + cf*g0[l] + t2*md
		acc[1][l] += momentum*m1 + cf*g1[l]
		acc[2][l] += momentum*m2 + cf*g2[l]
		acc[3][l] += momentum*m3 + cf*g3[l]
		acc[4][l] += cn*e + cf*g4[l] + s*(e+phi) + r*(energy*e+kinetic*k) + square*vd*vd
		accAlong[l] += t2*phi + more*vd
	}
}
