package sp

import (
	"math"

	"rhinet/npb/cfd"
)

const w = cfd.Lanes

// Positions of the numbers of a state: alpha and beta of the factors 0, + and -. Factor 0 is used for three
// components.
const (
	alpha0, alpha1, alpha2 = stateAlpha * w, (stateAlpha + 1) * w, (stateAlpha + 2) * w
	beta0, beta1, beta2    = stateBeta * w, (stateBeta + 1) * w, (stateBeta + 2) * w
	y0, y1, y2             = stateY * w, (stateY + 1) * w, (stateY + 2) * w
	y3, y4                 = (stateY + 3) * w, (stateY + 4) * w
)

// state is what elimination stores for a point; the lanes of each number are adjacent.
type state = [stateWidth * w]float64

// stateAt returns the state at point g of the lines.
func stateAt(a *cfd.LineArgs, g int) *state { return (*state)(a.State[a.StateAt+g*a.StateStep/8:]) }

// forwardGo returns the plain elimination along direction d, which defines what the assembly does. It
// handles all lanes at one point, then those at the next.
func forwardGo(d int) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		var below, at, above weights
		below.set(a, d, -1)
		at.set(a, d, 0)
		for g := range a.N {
			above.set(a, d, g+1)
			eliminate(a, g, &below, &at, &above)
			below, at = at, above
		}
	}
}

// weights are what the state at a point contributes to the matrix rows of each line: the parts of
// convection, of sound, and of viscosity.
type weights struct{ convection, sound, viscosity cfd.LanesOf }

// set computes the weights at point g.
func (q *weights) set(a *cfd.LineArgs, d, g int) {
	u := func(m int) *cfd.LanesOf { return cfd.LanesAt(a.U, a.UAt+(g*a.UStep+m*a.UComp)/8) }
	momentum, reciprocal, sound := u(1+d), u(cfd.Reciprocal), u(cfd.Sound)
	t2, sigma := a.Frame[conT2*w], a.Frame[conSigma*w]
	for l, r := range reciprocal {
		q.convection[l] = t2 * momentum[l] * r
		q.sound[l] = t2 * sound[l]
		q.viscosity[l] = sigma * r
	}
}

// eliminate computes the three rows at point g and stores alpha, beta and y. Every number has a name,
// because a loop over factors would have bounds checks.
func eliminate(a *cfd.LineArgs, g int, below, at, above *weights) {
	row := (*[cfd.RowWidth]float64)(a.Rows[a.RowsAt+g*cfd.RowWidth:])
	here, one, two := stateAt(a, g), stateAt(a, g-1), stateAt(a, g-2)
	r := func(m int) *cfd.LanesOf { return cfd.LanesAt(a.R, a.RAt+(g*a.RStep+m*a.RComp)/8) }
	r0, r1, r2, r3, r4 := r(0), r(1), r(2), r(3), r(4)
	first, last := row[0], row[4]
	for l := range w {
		low := row[1] - below.convection[l] - below.viscosity[l]
		centre := row[2] + 2*at.viscosity[l]
		high := row[3] + above.convection[l] - above.viscosity[l]

		lower := low - first*two[alpha0+l]
		pivot := 1 / (centre - first*two[beta0+l] - lower*one[alpha0+l])
		here[alpha0+l], here[beta0+l] = (high-lower*one[beta0+l])*pivot, last*pivot
		here[y0+l] = (r0[l] - first*two[y0+l] - lower*one[y0+l]) * pivot
		here[y1+l] = (r1[l] - first*two[y1+l] - lower*one[y1+l]) * pivot
		here[y2+l] = (r2[l] - first*two[y2+l] - lower*one[y2+l]) * pivot

		lower = low - below.sound[l] - first*two[alpha1+l]
		pivot = 1 / (centre - first*two[beta1+l] - lower*one[alpha1+l])
		here[alpha1+l], here[beta1+l] = (high+above.sound[l]-lower*one[beta1+l])*pivot, last*pivot
		here[y3+l] = (r3[l] - first*two[y3+l] - lower*one[y3+l]) * pivot

		lower = low + below.sound[l] - first*two[alpha2+l]
		pivot = 1 / (centre - first*two[beta2+l] - lower*one[alpha2+l])
		here[alpha2+l], here[beta2+l] = (high-above.sound[l]-lower*one[beta2+l])*pivot, last*pivot
		here[y4+l] = (r4[l] - first*two[y4+l] - lower*one[y4+l]) * pivot
	}
}

// backwardGo returns the plain substitution along direction d, with the transform that follows it. It
// stores the result in R or, after the last solve, adds it to U and recomputes the derived components of U.
func backwardGo(d int) func(*cfd.LineArgs) {
	return func(a *cfd.LineArgs) {
		var x [cfd.Components]cfd.LanesOf
		for g := a.N - 1; g >= 0; g-- {
			substitute(a, g, &x)
			switch d {
			case 0:
				transformX(&x)
			case 1:
				transformY(&x)
			case 2:
				advance(a, g, &x)
				continue
			}
			for m := range x {
				copy(a.R[a.RAt+(g*a.RStep+m*a.RComp)/8:], x[m][:a.Valid])
			}
		}
	}
}

// substitute stores the solution at point g in the state, and in x.
func substitute(a *cfd.LineArgs, g int, x *[cfd.Components]cfd.LanesOf) {
	here, one, two := stateAt(a, g), stateAt(a, g+1), stateAt(a, g+2)
	for l := range w {
		x[0][l] = here[y0+l] - here[alpha0+l]*one[y0+l] - here[beta0+l]*two[y0+l]
		x[1][l] = here[y1+l] - here[alpha0+l]*one[y1+l] - here[beta0+l]*two[y1+l]
		x[2][l] = here[y2+l] - here[alpha0+l]*one[y2+l] - here[beta0+l]*two[y2+l]
		x[3][l] = here[y3+l] - here[alpha1+l]*one[y3+l] - here[beta1+l]*two[y3+l]
		x[4][l] = here[y4+l] - here[alpha2+l]*one[y4+l] - here[beta2+l]*two[y4+l]
	}
	for m := range x {
		*cfd.LanesAt(here[:], (stateY+m)*w) = x[m]
	}
}

// advance transforms the solution back and adds it to the state at point g of the valid lines.
func advance(a *cfd.LineArgs, g int, x *[cfd.Components]cfd.LanesOf) {
	u := func(m int) []float64 { return a.U[a.UAt+(g*a.UStep+m*a.UComp)/8:][:a.Valid] }
	u0, u1, u2, u3, u4, reciprocal, sound := u(0), u(1), u(2), u(3), u(4), u(cfd.Reciprocal), u(cfd.Sound)
	n := len(u0)
	u1, u2, u3, u4, reciprocal, sound = u1[:n], u2[:n], u3[:n], u4[:n], reciprocal[:n], sound[:n]
	c1c2 := a.Frame[conSound*w]
	for l := range min(n, w) {
		m0, m1, m2, m3, m4 := transformZ(x[0][l], x[1][l], x[2][l], x[3][l], x[4][l],
			u0[l], u1[l], u2[l], u3[l], reciprocal[l], sound[l])
		m0, m1, m2, m3, m4 = u0[l]+m0, u1[l]+m1, u2[l]+m2, u3[l]+m3, u4[l]+m4
		r := 1 / m0
		q := 0.5 * (m1*m1 + m2*m2 + m3*m3) * r
		u0[l], u1[l], u2[l], u3[l], u4[l] = m0, m1, m2, m3, m4
		reciprocal[l], sound[l] = r, math.Sqrt(c1c2*r*(m4-q))
	}
}

func passesGo() (forward, backward [3]func(*cfd.LineArgs)) {
	for d := range 3 {
		forward[d], backward[d] = forwardGo(d), backwardGo(d)
	}
	return forward, backward
}
