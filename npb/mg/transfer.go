package mg

// Between two levels: coarse point J coincides with fine point 2J+1 of the
// whole grid. On a rank that owns two or more fine points along every axis,
// interior coarse point l therefore lies on fine point 2l, ghosts included.

// regular reports whether that simple rule holds for the fine level.
func (l *level) regular() bool { return l.own[axisX] > 1 && l.own[axisY] > 1 && l.own[axisZ] > 1 }

// restrict sets the interior of s on the coarse level c to the weighted mean of
// r on the fine level l, with weights 1/2, 1/4, 1/8, 1/16.
func (l *level) restrict(c *level, s, r []float64) {
	if !l.regular() {
		l.restrictAny(c, s, r)
		return
	}
	nx := c.own[axisX]
	for k := 1; k <= c.own[axisZ]; k++ {
		for j := 1; j <= c.own[axisY]; j++ {
			at := c.at(1, j, k)
			restrictRow(s[at:at+nx], newRows(r, l.at(2, 2*j, 2*k), 2*nx-1, l.row, l.plane))
		}
	}
}

// restrictRow works along every second point of r, keeping the sums over faces
// and edges of the column it shares with the next coarse point.
func restrictRow(s []float64, r rows) {
	n := 2*len(s) + 1
	mid := r.mid[:n]
	f0, f1, f2, f3 := r.f0[:n], r.f1[:n], r.f2[:n], r.f3[:n]
	e0, e1, e2, e3 := r.e0[:n], r.e1[:n], r.e2[:n], r.e3[:n]
	ml := mid[0]
	fl := (f0[0] + f1[0]) + (f2[0] + f3[0])
	el := (e0[0] + e1[0]) + (e2[0] + e3[0])
	for i := range s {
		m := 2*i + 1
		fm := (f0[m] + f1[m]) + (f2[m] + f3[m])
		em := (e0[m] + e1[m]) + (e2[m] + e3[m])
		m++
		mr := mid[m]
		fr := (f0[m] + f1[m]) + (f2[m] + f3[m])
		er := (e0[m] + e1[m]) + (e2[m] + e3[m])
		s[i] = 0.5*mid[m-1] + 0.25*(ml+mr+fm) + 0.125*(fl+fr+em) + 0.0625*(el+er)
		ml, fl, el = mr, fr, er
	}
}

// prolong interpolates z of the coarse level c to all points of the fine level
// l, ghosts included, and adds that to u, or, if fresh, sets u to it.
func (l *level) prolong(c *level, u, z []float64, fresh bool) {
	if !l.regular() {
		if fresh {
			clear(u)
		}
		l.prolongAny(c, u, z)
		return
	}
	for k := range c.extent[axisZ] - 1 {
		for j := range c.extent[axisY] - 1 {
			l.prolongRows(c, u, z, j, k, fresh)
		}
	}
}

// prolongRows fills the four fine rows above coarse row (j, k): on it, and half
// way to the next one along y, along z and along both.
func (l *level) prolongRows(c *level, u, z []float64, j, k int, fresh bool) {
	n := c.extent[axisX]
	cut := func(j, k int) []float64 { at := c.at(0, j, k); return z[at : at+n] }
	z00, z10, z01, z11 := cut(j, k), cut(j+1, k), cut(j, k+1), cut(j+1, k+1)
	fine := func(j, k int) []float64 { at := l.at(0, j, k); return u[at : at+2*(n-1)] }
	u00, u10, u01, u11 := fine(2*j, 2*k), fine(2*j+1, 2*k), fine(2*j, 2*k+1), fine(2*j+1, 2*k+1)
	if fresh {
		setRows(u00, u10, u01, u11, z00, z10, z01, z11)
	} else {
		addRows(u00, u10, u01, u11, z00, z10, z01, z11)
	}
}

// addRows adds the interpolation between four coarse rows to four fine ones.
func addRows(u00, u10, u01, u11, z00, z10, z01, z11 []float64) {
	n := len(z00)
	z10, z01, z11 = z10[:n], z01[:n], z11[:n]
	a := z00[0]
	b := a + z10[0]
	c := a + z01[0]
	d := b + z01[0] + z11[0]
	for i := 1; i < n; i++ {
		za := z00[i]
		zb := za + z10[i]
		zc := za + z01[i]
		zd := zb + (z01[i] + z11[i])
		p00, p10, p01, p11 := u00[:2:2], u10[:2:2], u01[:2:2], u11[:2:2]
		p00[0] += a
		p00[1] += 0.5 * (a + za)
		p10[0] += 0.5 * b
		p10[1] += 0.25 * (b + zb)
		p01[0] += 0.5 * c
		p01[1] += 0.25 * (c + zc)
		p11[0] += 0.25 * d
		p11[1] += 0.125 * (d + zd)
		u00, u10, u01, u11 = u00[2:], u10[2:], u01[2:], u11[2:]
		a, b, c, d = za, zb, zc, zd
	}
}

// setRows is addRows to rows of zeros.
func setRows(u00, u10, u01, u11, z00, z10, z01, z11 []float64) {
	n := len(z00)
	z10, z01, z11 = z10[:n], z01[:n], z11[:n]
	a := z00[0]
	b := a + z10[0]
	c := a + z01[0]
	d := b + z01[0] + z11[0]
	for i := 1; i < n; i++ {
		za := z00[i]
		zb := za + z10[i]
		zc := za + z01[i]
		zd := zb + (z01[i] + z11[i])
		p00, p10, p01, p11 := u00[:2:2], u10[:2:2], u01[:2:2], u11[:2:2]
		p00[0] = a
		p00[1] = 0.5 * (a + za)
		p10[0] = 0.5 * b
		p10[1] = 0.25 * (b + zb)
		p01[0] = 0.5 * c
		p01[1] = 0.25 * (c + zc)
		p11[0] = 0.25 * d
		p11[1] = 0.125 * (d + zd)
		u00, u10, u01, u11 = u00[2:], u10[2:], u01[2:], u11[2:]
		a, b, c, d = za, zb, zc, zd
	}
}
