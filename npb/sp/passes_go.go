package sp

import (
	"math"

	"rhinet/npb/cfd"
)

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

// neighbour returns the weights of an off-diagonal coefficient that depend on the
// state at point g of a line: of convection, of sound, and of viscosity.
func neighbour(a *cfd.LineArgs, d, lane, g int) (convection, sound, viscosity float64) {
	at := a.UAt + g*a.UStep/8 + lane
	reciprocal := a.U[at+cfd.Reciprocal*a.UComp/8]
	t2 := a.Consts[conT2*cfd.Lanes]
	return t2 * a.U[at+(1+d)*a.UComp/8] * reciprocal, t2 * a.U[at+cfd.Sound*a.UComp/8],
		a.Consts[conSigma*cfd.Lanes] * reciprocal
}

// eliminate forms the three rows at point g and leaves alpha, beta and y.
func eliminate(a *cfd.LineArgs, d, lane, g int) {
	row := a.Rows[a.RowsAt+g*cfd.RowWidth:][:cfd.RowWidth]
	vLow, cLow, sLow := neighbour(a, d, lane, g-1)
	_, _, s := neighbour(a, d, lane, g)
	vHigh, cHigh, sHigh := neighbour(a, d, lane, g+1)
	here := a.State[a.StateAt+g*a.StateStep/8+lane:]
	one := a.State[a.StateAt+(g-1)*a.StateStep/8+lane:]
	two := a.State[a.StateAt+(g-2)*a.StateStep/8+lane:]
	const w = cfd.Lanes
	for f := range 3 {
		sign := [3]float64{0, 1, -1}[f]
		low := row[1] - vLow - sLow - sign*cLow
		high := row[3] + vHigh - sHigh + sign*cHigh
		l := low - row[0]*two[(stateAlpha+f)*w]
		pivot := 1 / (row[2] + 2*s - row[0]*two[(stateBeta+f)*w] - l*one[(stateAlpha+f)*w])
		here[(stateAlpha+f)*w] = (high - l*one[(stateBeta+f)*w]) * pivot
		here[(stateBeta+f)*w] = row[4] * pivot
		from, to := factor(f)
		for m := from; m < to; m++ {
			r := a.R[a.RAt+(g*a.RStep+m*a.RComp)/8+lane]
			here[(stateY+m)*w] = (r - row[0]*two[(stateY+m)*w] - l*one[(stateY+m)*w]) * pivot
		}
	}
}

// factor returns the components that factor f (0, +, -) serves.
func factor(f int) (from, to int) {
	if f == 0 {
		return 0, 3
	}
	return f + 2, f + 3
}

// backwardGo returns the plain substitution along direction d, with the transform
// that follows it. It stores the result in R, or adds it to
// U, whose derived components it renews, after the last solve.
func backwardGo(d int) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		for g := a.N - 1; g >= 0; g-- {
			for lane := range a.Valid {
				substitute(a, d, lane, g)
			}
		}
	}
}

func substitute(a *cfd.LineArgs, d, lane, g int) {
	const w = cfd.Lanes
	here := a.State[a.StateAt+g*a.StateStep/8+lane:]
	one := a.State[a.StateAt+(g+1)*a.StateStep/8+lane:]
	two := a.State[a.StateAt+(g+2)*a.StateStep/8+lane:]
	var x [cfd.Components]float64
	for f := range 3 {
		alpha, beta := here[(stateAlpha+f)*w], here[(stateBeta+f)*w]
		from, to := factor(f)
		for m := from; m < to; m++ {
			y := &here[(stateY+m)*w]
			*y -= alpha*one[(stateY+m)*w] + beta*two[(stateY+m)*w]
			x[m] = *y
		}
	}
	uAt := a.UAt + g*a.UStep/8 + lane
	switch d {
	case 0:
		x = transformX(x)
	case 1:
		x = transformY(x)
	case 2:
		u := func(m int) float64 { return a.U[uAt+m*a.UComp/8] }
		x = transformZ(x, u(0), u(1), u(2), u(3), u(cfd.Reciprocal), u(cfd.Sound))
		for m, v := range x {
			a.U[uAt+m*a.UComp/8] += v
		}
		r := 1 / u(0)
		q := 0.5 * (u(1)*u(1) + u(2)*u(2) + u(3)*u(3)) * r
		a.U[uAt+cfd.Reciprocal*a.UComp/8] = r
		a.U[uAt+cfd.Sound*a.UComp/8] = math.Sqrt(a.Consts[conSound*cfd.Lanes] * r * (u(4) - q))
		return
	}
	for m, v := range x {
		a.R[a.RAt+(g*a.RStep+m*a.RComp)/8+lane] = v
	}
}

func passesGo() (forward, backward [3]func(*cfd.LineArgs)) {
	for d := range 3 {
		forward[d], backward[d] = forwardGo(d), backwardGo(d)
	}
	return forward, backward
}
