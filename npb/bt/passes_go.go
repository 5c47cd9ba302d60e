package bt

import "rhinet/npb/cfd"

// forwardGo returns the plain elimination along direction d, which defines what
// the assembly does: one line after the other instead of all lanes at once.
func forwardGo(d int) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		for lane := range cfd.Lanes {
			for g := range a.N {
				eliminate(a, d, lane, g)
			}
		}
	}
}

// eliminate forms the three blocks of the row at point g and leaves C and y.
func eliminate(a *cfd.LineArgs, d, lane, g int) {
	t2 := a.Consts[conT2*cfd.Lanes]
	dissipation := a.Consts[conD*cfd.Lanes]
	if d == 2 {
		dissipation = a.Consts[conDz*cfd.Lanes]
	}
	t1 := a.Consts[conVisc*cfd.Lanes] / cfd.Kappa
	block := func(g int, sign, weight float64) (m cfd.Matrix) {
		convective, viscous := cfd.Jacobians(stateAt(a, lane, g), d)
		for i := range m {
			for j := range m {
				m[i][j] = sign*t2*convective[i][j] + weight*t1*viscous[i][j]
			}
			m[i][i] += weight * dissipation
		}
		return m
	}
	lower, diagonal, upper := block(g-1, -1, -1), block(g, 0, 2), block(g+1, 1, -1)
	here := a.State[a.StateAt+g*a.StateStep/8+lane:]
	below := a.State[a.StateAt+(g-1)*a.StateStep/8+lane:]
	var y [cfd.Components]float64
	for i := range y {
		diagonal[i][i]++
		y[i] = a.R[a.RAt+(g*a.RStep+i*a.RComp)/8+lane]
		for k, l := range lower[i] {
			for j := range y {
				diagonal[i][j] -= l * below[(stateC+5*k+j)*cfd.Lanes]
			}
			y[i] -= l * below[(stateY+k)*cfd.Lanes]
		}
	}
	gaussJordan(&diagonal, &upper, &y)
	for i := range y {
		for j, c := range upper[i] {
			here[(stateC+5*i+j)*cfd.Lanes] = c
		}
		here[(stateY+i)*cfd.Lanes] = y[i]
	}
}

// gaussJordan replaces m and y by the products with the inverse of b, without
// pivoting.
func gaussJordan(b, m *cfd.Matrix, y *[cfd.Components]float64) {
	for p := range y {
		pivot := 1 / b[p][p]
		for j := range y {
			b[p][j] *= pivot
			m[p][j] *= pivot
		}
		y[p] *= pivot
		for i := range y {
			if i == p {
				continue
			}
			f := b[i][p]
			for j := range y {
				b[i][j] -= f * b[p][j]
				m[i][j] -= f * m[p][j]
			}
			y[i] -= f * y[p]
		}
	}
}

// stateAt returns the unknowns at point g of a line.
func stateAt(a *cfd.LineArgs, lane, g int) *[cfd.Components]float64 {
	var u [cfd.Components]float64
	at := a.UAt + g*a.UStep/8 + lane
	for m := range u {
		u[m] = a.U[at+m*a.UComp/8]
	}
	return &u
}

// backwardGo returns the plain substitution. It stores the solution in R, or adds
// it to U, whose reciprocal density it renews, after the last solve; along x the caller transposes R itself.
func backwardGo(add bool) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		for g := a.N - 1; g >= 0; g-- {
			here := a.State[a.StateAt+g*a.StateStep/8:]
			above := a.State[a.StateAt+(g+1)*a.StateStep/8:]
			for lane := range a.Valid {
				for i := range cfd.Components {
					y := &here[(stateY+i)*cfd.Lanes+lane]
					for k := range cfd.Components {
						*y -= here[(stateC+5*i+k)*cfd.Lanes+lane] * above[(stateY+k)*cfd.Lanes+lane]
					}
					if add {
						a.U[a.UAt+(g*a.UStep+i*a.UComp)/8+lane] += *y
					} else {
						a.R[a.RAt+(g*a.RStep+i*a.RComp)/8+lane] = *y
					}
				}
				if add {
					at := a.UAt + g*a.UStep/8 + lane
					a.U[at+cfd.Reciprocal*a.UComp/8] = 1 / a.U[at]
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
