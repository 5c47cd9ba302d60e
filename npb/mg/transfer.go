package mg

// Between two levels: coarse point J coincides with fine point 2J+1 of the
// whole grid. On a rank that owns two or more fine points along every axis,
// interior coarse point l therefore lies on fine point 2l, ghosts included.

// regular reports whether this holds for the fine level: no axis has a single point.
func (l *level) regular() bool { return l.own[axisX] > 1 && l.own[axisY] > 1 && l.own[axisZ] > 1 }

// restrict sets the interior of s on the coarse level c to the weighted mean of r on the fine level l, with
// weights 1/2, 1/4, 1/8, 1/16.
func (l *level) restrict(c *level, s, r []float64) {
	if !l.regular() {
		l.restrictAny(c, s, r)
		return
	}
	nx, ny := c.own[axisX], c.own[axisY]
	for k := 1; k <= c.own[axisZ]; k++ {
		c.loops.restrict(s, c.at(1, 1, k), c.row, r, l.at(1, 2, 2*k), nx, ny, l.row, l.plane)
	}
}

// restrictPlane sets nx x ny coarse points of s, beginning at index sat. at is the index of the first point
// along x in the fine row above the first coarse row.
func restrictPlane(s []float64, sat, srow int, r []float64, at, nx, ny, row, plane int) {
	for ; ny > 0; ny-- {
		restrictRow(s[sat:sat+nx], newRows(r, at+1, 2*nx-1, row, plane))
		sat += srow
		at += 2 * row
	}
}

// restrictRow goes along every second point of r. It keeps the sums over faces and edges of the column that
// adjacent coarse points share.
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

// prolong interpolates z of the coarse level c to all points of the fine level l, including ghosts. It adds
// the result to u, or, if fresh, sets u to it.
func (l *level) prolong(c *level, u, z []float64, fresh bool) {
	if !l.regular() {
		if fresh {
			clear(u)
		}
		l.prolongAny(c, u, z)
		return
	}
	nx, ny := c.own[axisX], c.own[axisY]+1
	for k := range c.extent[axisZ] - 1 {
		c.loops.prolong(u, l.at(1, 0, 2*k), l.row, l.plane, z, c.at(1, 0, k), nx, ny, c.row, c.plane, fresh)
		for j := range ny {
			l.prolongEnds(c, u, z, j, k, fresh)
		}
	}
}

// prolongEnds sets the ghosts at the ends of the four fine rows above coarse row (j, k).
func (l *level) prolongEnds(c *level, u, z []float64, j, k int, fresh bool) {
	n, m := l.own[axisX]+1, c.own[axisX]
	at := c.at(0, j, k)
	a, b := at+m, at+m+1
	// The sums of the surrounding coarse points, at the left end and on both sides of the right end.
	pair := func(o int) (left, right float64) { return z[at+o], z[a+o] + z[b+o] }
	l00, r00 := pair(0)
	l10, r10 := pair(c.row)
	l01, r01 := pair(c.plane)
	l11, r11 := pair(c.row + c.plane)
	to := l.at(0, 2*j, 2*k)
	put := func(o int, left, right float64) {
		if fresh {
			u[to+o], u[to+o+n] = left, right
		} else {
			u[to+o] += left
			u[to+o+n] += right
		}
	}
	put(0, l00, 0.5*r00)
	put(l.row, 0.5*(l00+l10), 0.25*(r00+r10))
	put(l.plane, 0.5*(l00+l01), 0.25*(r00+r01))
	put(l.row+l.plane, 0.25*(l00+l10+l01+l11), 0.125*(r00+r10+r01+r11))
}

// prolongPlane sets or adds to the pairs of fine rows above ny rows of one coarse plane: those on it, and
// those half-way to the next coarse row along y, along z, and along both. Of each row it handles the pairs
// of points 2l+1 and 2l+2, l = 0..nx-1. at is the index of the first of these points, zat that of the
// coarse point at the second.
func prolongPlane(u []float64, at, row, plane int, z []float64, zat, nx, ny, zrow, zplane int, fresh bool) {
	coarse := func(at int) []float64 { return z[at-1 : at+nx] }
	fine := func(at int) []float64 { return u[at : at+2*nx] }
	for ; ny > 0; ny-- {
		z00, z10 := coarse(zat), coarse(zat+zrow)
		z01, z11 := coarse(zat+zplane), coarse(zat+zplane+zrow)
		u00, u10, u01, u11 := fine(at), fine(at+row), fine(at+plane), fine(at+plane+row)
		if fresh {
			setRows(u00, u10, u01, u11, z00, z10, z01, z11)
		} else {
			addRows(u00, u10, u01, u11, z00, z10, z01, z11)
		}
		at += 2 * row
		zat += zrow
	}
}

// addRows adds the interpolation between four coarse rows to four fine rows.
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
		p00[0] += 0.5 * (a + za)
		p00[1] += za
		p10[0] += 0.25 * (b + zb)
		p10[1] += 0.5 * zb
		p01[0] += 0.25 * (c + zc)
		p01[1] += 0.5 * zc
		p11[0] += 0.125 * (d + zd)
		p11[1] += 0.25 * zd
		u00, u10, u01, u11 = u00[2:], u10[2:], u01[2:], u11[2:]
		a, b, c, d = za, zb, zc, zd
	}
}

// setRows stores what addRows adds.
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
		p00[0] = 0.5 * (a + za)
		p00[1] = za
		p10[0] = 0.25 * (b + zb)
		p10[1] = 0.5 * zb
		p01[0] = 0.25 * (c + zc)
		p01[1] = 0.5 * zc
		p11[0] = 0.125 * (d + zd)
		p11[1] = 0.25 * zd
		u00, u10, u01, u11 = u00[2:], u10[2:], u01[2:], u11[2:]
		a, b, c, d = za, zb, zc, zd
	}
}
