package mg

// The operators on one level. All use the 27-point neighbourhood. The weight of a point depends on its
// distance: the point itself, 6 across faces, 12 across edges, 8 across corners.

// residual sets r = v - A u at the interior points; v and r may be the same array. The weights of A are
// -8/3, 0, 1/6, 1/12.
func (l *level) residual(r, v, u []float64) {
	for k := 1; k <= l.own[axisZ]; k++ {
		l.loops.residual(r, v, u, l.at(1, 1, k), l.own[axisX], l.own[axisY], l.row, l.plane)
	}
}

// smooth adds the smoother applied to r to u.
func (l *level) smooth(u, r []float64, c *[3]float64) {
	for k := 1; k <= l.own[axisZ]; k++ {
		l.loops.smooth(u, r, l.at(1, 1, k), l.own[axisX], l.own[axisY], l.row, l.plane, c)
	}
}

// norm returns the sum of squares and the largest magnitude of r over the interior points.
func (l *level) norm(r []float64) (sum, most float64) {
	for k := 1; k <= l.own[axisZ]; k++ {
		s, m := l.loops.norm(r, l.at(1, 1, k), l.own[axisX], l.own[axisY], l.row)
		sum += s
		most = max(most, m)
	}
	return sum, most
}

// residualPlane is residual for nx x ny points from element at on.
func residualPlane(r, v, u []float64, at, nx, ny, row, plane int) {
	for ; ny > 0; ny-- {
		residualRow(r[at:at+nx], v[at:at+nx], newRows(u, at, nx, row, plane))
		at += row
	}
}

// smoothPlane is smooth for nx x ny points from element at on.
func smoothPlane(u, r []float64, at, nx, ny, row, plane int, c *[3]float64) {
	for ; ny > 0; ny-- {
		smoothRow(u[at:at+nx], newRows(r, at, nx, row, plane), c)
		at += row
	}
}

// rows are a row of points and its eight neighbours in the yz plane, each with
// one more point at both ends.
type rows struct {
	mid            []float64
	f0, f1, f2, f3 []float64 // share a face
	e0, e1, e2, e3 []float64 // share an edge
}

func newRows(u []float64, at, nx, row, plane int) rows {
	cut := func(at int) []float64 { return u[at-1 : at+nx+1 : at+nx+1] }
	return rows{
		cut(at),
		cut(at - row), cut(at + row), cut(at - plane), cut(at + plane),
		cut(at - plane - row), cut(at - plane + row), cut(at + plane - row), cut(at + plane + row),
	}
}

// residualRow keeps the sums over faces (f) and edges (e) of three columns.
func residualRow(r, v []float64, u rows) {
	n := len(r)
	v = v[:n]
	mid := u.mid[1:][:n]
	f0, f1, f2, f3 := u.f0[2:][:n], u.f1[2:][:n], u.f2[2:][:n], u.f3[2:][:n]
	e0, e1, e2, e3 := u.e0[2:][:n], u.e1[2:][:n], u.e2[2:][:n], u.e3[2:][:n]
	fl := u.f0[0] + u.f1[0] + u.f2[0] + u.f3[0]
	fm := u.f0[1] + u.f1[1] + u.f2[1] + u.f3[1]
	el := u.e0[0] + u.e1[0] + u.e2[0] + u.e3[0]
	em := u.e0[1] + u.e1[1] + u.e2[1] + u.e3[1]
	for i := range r {
		fr := (f0[i] + f1[i]) + (f2[i] + f3[i])
		er := (e0[i] + e1[i]) + (e2[i] + e3[i])
		r[i] = v[i] + 8.0/3*mid[i] - 1.0/6*(em+(fl+fr)) - 1.0/12*(el+er)
		fl, fm, el, em = fm, fr, em, er
	}
}

// smoothRow works like residualRow.
func smoothRow(u []float64, r rows, c *[3]float64) {
	n := len(u)
	left, mid, right := r.mid[:n], r.mid[1:][:n], r.mid[2:][:n]
	f0, f1, f2, f3 := r.f0[2:][:n], r.f1[2:][:n], r.f2[2:][:n], r.f3[2:][:n]
	e0, e1, e2, e3 := r.e0[1:][:n], r.e1[1:][:n], r.e2[1:][:n], r.e3[1:][:n]
	fl := r.f0[0] + r.f1[0] + r.f2[0] + r.f3[0]
	fm := r.f0[1] + r.f1[1] + r.f2[1] + r.f3[1]
	c0, c1, c2 := c[0], c[1], c[2]
	for i := range u {
		fr := (f0[i] + f1[i]) + (f2[i] + f3[i])
		e := (e0[i] + e1[i]) + (e2[i] + e3[i])
		u[i] += c0*mid[i] + c1*((left[i]+right[i])+fm) + c2*(e+(fl+fr))
		fl, fm = fm, fr
	}
}

// normPlane is norm for nx x ny points from element at on.
func normPlane(r []float64, at, nx, ny, row int) (sum, most float64) {
	for ; ny > 0; ny-- {
		var a, b float64
		line := r[at : at+nx]
		for len(line) >= 2 {
			a += line[0] * line[0]
			b += line[1] * line[1]
			most = max(most, line[0], -line[0], line[1], -line[1])
			line = line[2:]
		}
		for _, x := range line {
			a += x * x
			most = max(most, x, -x)
		}
		sum += a + b
		at += row
	}
	return sum, most
}
