package bt

import "rhinet/npb/cfd"

const (
	w    = cfd.Lanes
	size = cfd.Components
)

// state is the result of elimination at a point, with all lanes of a number side by side.
type state = [stateWidth * w]float64

// stateAt returns the state at point g of the lines.
func stateAt(a *cfd.LineArgs, g int) *state { return (*state)(a.State[a.StateAt+g*a.StateStep/8:]) }

// blocks are the contributions of the state at a point of a line to the matrix rows around it: as the point
// below, the point itself, and the point above.
type blocks struct{ lower, diagonal, upper cfd.Matrix }

// forwardGo returns the plain elimination along direction d, which defines what
// the assembly does: one line after the other at each point, then the next point.
func forwardGo(d int) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		// The blocks of the points below, at, and above the row, in rotation.
		var ring [3][w]blocks
		below, at, above := &ring[0], &ring[1], &ring[2]
		form(a, d, -1, below)
		form(a, d, 0, at)
		for g := range a.N {
			form(a, d, g+1, above)
			for lane := range w {
				eliminate(a, g, lane, &below[lane].lower, &at[lane].diagonal, &above[lane].upper)
			}
			below, at, above = at, above, below
		}
	}
}

// form computes the blocks of the states at point g.
func form(a *cfd.LineArgs, d, g int, out *[w]blocks) {
	t2 := a.Frame[conT2*w]
	t1 := a.Frame[conVisc*w] / cfd.Kappa
	dissipation := a.Frame[conD*w]
	if d == 2 {
		dissipation = a.Frame[conDz*w]
	}
	var u [size]float64
	at := a.UAt + g*a.UStep/8
	for lane := range out {
		for m := range u {
			u[m] = a.U[at+m*a.UComp/8+lane]
		}
		b := &out[lane]
		convective, viscous := cfd.Jacobians(&u, d)
		for i := range convective {
			lower, diagonal, upper := &b.lower[i], &b.diagonal[i], &b.upper[i]
			for j, c := range &convective[i] {
				c *= t2
				v := t1 * viscous[i][j]
				lower[j], diagonal[j], upper[j] = -c-v, 2*v, c-v
			}
			lower[i] -= dissipation
			diagonal[i] += 1 + 2*dissipation
			upper[i] -= dissipation
		}
	}
}

// eliminate removes the lower block from the row at point g, and leaves C and y. It overwrites the blocks.
func eliminate(a *cfd.LineArgs, g, lane int, lower, diagonal, upper *cfd.Matrix) {
	here, below := stateAt(a, g), stateAt(a, g-1)
	var c cfd.Matrix
	var x, y [size]float64
	at := lane & (w - 1)
	for i := range c {
		for j := range c[i] {
			c[i][j] = below[at]
			at += w
		}
	}
	for i := range x {
		x[i] = below[at]
		y[i] = a.R[a.RAt+(g*a.RStep+i*a.RComp)/8+lane]
		at += w
	}
	for i := range lower {
		l0, l1, l2, l3, l4 := lower[i][0], lower[i][1], lower[i][2], lower[i][3], lower[i][4]
		row := &diagonal[i]
		row[0] -= l0*c[0][0] + l1*c[1][0] + l2*c[2][0] + l3*c[3][0] + l4*c[4][0]
		row[1] -= l0*c[0][1] + l1*c[1][1] + l2*c[2][1] + l3*c[3][1] + l4*c[4][1]
		row[2] -= l0*c[0][2] + l1*c[1][2] + l2*c[2][2] + l3*c[3][2] + l4*c[4][2]
		row[3] -= l0*c[0][3] + l1*c[1][3] + l2*c[2][3] + l3*c[3][3] + l4*c[4][3]
		row[4] -= l0*c[0][4] + l1*c[1][4] + l2*c[2][4] + l3*c[3][4] + l4*c[4][4]
		y[i] -= l0*x[0] + l1*x[1] + l2*x[2] + l3*x[3] + l4*x[4]
	}
	gaussJordan(diagonal, upper, &y)
	at = lane & (w - 1)
	for i := range upper {
		for _, v := range &upper[i] {
			here[at] = v
			at += w
		}
	}
	for _, v := range y {
		here[at] = v
		at += w
	}
}

// gaussJordan replaces m and y by the products with the inverse of b, without
// pivoting.
func gaussJordan(b, m *cfd.Matrix, y *[size]float64) {
	for p := range y {
		bp, mp := &b[p], &m[p]
		pivot := 1 / bp[p]
		for j := p + 1; j < size; j++ {
			bp[j] *= pivot
		}
		m0, m1, m2, m3, m4 := mp[0]*pivot, mp[1]*pivot, mp[2]*pivot, mp[3]*pivot, mp[4]*pivot
		mp[0], mp[1], mp[2], mp[3], mp[4] = m0, m1, m2, m3, m4
		yp := y[p] * pivot
		y[p] = yp
		for i := range y {
			if i == p {
				continue
			}
			bi, mi := &b[i], &m[i]
			f := bi[p]
			for j := p + 1; j < size; j++ {
				bi[j] -= f * bp[j]
			}
			mi[0] -= f * m0
			mi[1] -= f * m1
			mi[2] -= f * m2
			mi[3] -= f * m3
			mi[4] -= f * m4
			y[i] -= f * yp
		}
	}
}

// backwardGo returns the plain substitution. It stores the solution in R or, after the last solve, adds it
// to U and updates the reciprocal density; along x the caller transposes R itself.
func backwardGo(add bool) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		for g := a.N - 1; g >= 0; g-- {
			here, above := stateAt(a, g), stateAt(a, g+1)
			for i := range size {
				y := cfd.LanesAt(here[:], (stateY+i)*w)
				for k := range size {
					c, x := cfd.LanesAt(here[:], (stateC+5*i+k)*w), cfd.LanesAt(above[:], (stateY+k)*w)
					for l := range y {
						y[l] -= c[l] * x[l]
					}
				}
				if !add {
					copy(a.R[a.RAt+(g*a.RStep+i*a.RComp)/8:], y[:a.Valid])
					continue
				}
				u := a.U[a.UAt+(g*a.UStep+i*a.UComp)/8:][:a.Valid]
				for l, v := range y[:len(u)] {
					u[l] += v
				}
			}
			if add {
				at := a.UAt + g*a.UStep/8
				reciprocal := a.U[at+cfd.Reciprocal*a.UComp/8:][:a.Valid]
				for l, rho := range a.U[at:][:len(reciprocal)] {
					reciprocal[l] = 1 / rho
				}
			}
		}
	}
}

func passesGo() (forward, backward [3]func(*cfd.LineArgs)) {
	for d := range 3 {
		forward[d], backward[d] = forwardGo(d), backwardGo(d == 2)
	}
	return forward, backward
}
