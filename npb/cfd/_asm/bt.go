package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Lane constants of BT, as in lines.go of the package.
const (
	btT2 = iota
	btT2c1
	btT2c2
	btT2d
	btVisc
	btVisc43
	btHeat
	btMix
	btThird
	btD
	btDz
	btDiag
	btDiagz
	btHalf
	btOne
	btTwo
	btZero
	btConsts
)

const (
	btC     = 0
	btY     = 25
	btWidth = 30
)

func btKernels(ctx *build.Context, lanes int) {
	for d := range 3 {
		lineKernel(ctx, lanes, fmt.Sprintf("forward%c", "XYZ"[d]), btWidth, btConsts,
			lines{useU: true, useR: true}, func(l *lines) { l.btForward(d) })
	}
	lineKernel(ctx, lanes, "backward", btWidth, btConsts, lines{useR: true, backward: true},
		func(l *lines) { l.btBackward(false) })
	lineKernel(ctx, lanes, "backwardAdd", btWidth, btConsts, lines{useU: true, backward: true},
		func(l *lines) { l.btBackward(true) })
}

// btPoint holds the values from which the blocks of a point are computed.
type btPoint struct {
	v    [4]*node // velocities
	q, e *node
	r    *node // 1/rho
}

func (l *lines) btPoint(base reg.GPPhysical) (p btPoint) {
	p.r = l.load(l.uAt(base, 5))
	for b := 1; b <= 3; b++ {
		p.v[b] = l.times(l.load(l.uAt(base, b)), p.r)
	}
	p.e = l.times(l.load(l.uAt(base, 4)), p.r)
	sum := l.fma(p.v[3], p.v[3], l.fma(p.v[2], p.v[2], l.times(p.v[1], p.v[1])))
	p.q = l.times(l.con(btHalf), sum)
	return p
}

// block is t2*A + sign*(t1*N + D) at a point, in direction d: the negated lower
// block, or the upper block. Entries that are zero are nil.
func (l *lines) block(p btPoint, d int, plus bool) (m [5][5]*node) {
	signed := func(a, b, c *node) *node { // c +- a*b
		if plus {
			return l.fma(a, b, c)
		}
		return l.fnma(a, b, c)
	}
	shift := func(a *node) *node { // a +- D
		if plus {
			return l.plus(a, l.con(btD+d/2))
		}
		return l.minus(a, l.con(btD+d/2))
	}
	x := 1 + d
	s := l.times(l.con(btT2), p.v[x])                            // t2*v_d
	visc := l.times(l.con(btVisc), p.r)                          // along the others
	third := l.times(l.con(btThird), p.r)                        // 1/3 of visc
	h := l.fnma(l.con(btT2c2), p.q, l.times(l.con(btT2c1), p.e)) // t2*(c1*e - c2*q)
	m[0][x] = l.con(btT2)
	if plus {
		m[0][0] = l.con(btD + d/2)
	} else {
		m[0][0] = l.negated(l.con(btD + d/2))
	}
	for a := 1; a <= 3; a++ {
		if a == x {
			w := signed(l.con(btVisc43), p.r, s)
			// c2*q*t2 - v*(t2*v +- visc43*r)
			m[a][0] = l.fnma(p.v[a], w, l.times(l.con(btT2c2), p.q))
			m[a][a] = shift(signed(l.con(btVisc43), p.r, l.times(l.con(btT2d), p.v[a])))
			m[a][4] = l.con(btT2c2)
			continue
		}
		w := l.minusOrPlus(s, visc, plus)
		m[a][0] = l.negated(l.times(p.v[a], w))
		m[a][a] = shift(w)
		m[a][x] = l.times(l.con(btT2), p.v[a])
		m[x][a] = l.negated(l.times(l.con(btT2c2), p.v[a]))
	}
	// Energy row: N[4][0] = -r*(mix*2q + third*vd^2/r + heat*e).
	mix := l.times(l.con(btMix), p.r)
	heat := l.times(l.con(btHeat), p.r)
	n := l.fma(heat, p.e, l.fma(l.times(l.con(btTwo), mix), p.q, l.times(l.times(third, p.v[x]), p.v[x])))
	a40 := l.times(p.v[x], l.fms(l.con(btT2c2), p.q, h)) // t2*(2*c2*q - c1*e)*vd
	if plus {
		m[4][0] = l.minus(a40, n)
	} else {
		m[4][0] = l.plus(a40, n)
	}
	c := l.times(l.con(btT2c2), p.v[x])
	for b := 1; b <= 3; b++ {
		if b == x {
			w := l.plus(mix, third)
			m[4][b] = signed(w, p.v[b], l.fnma(c, p.v[b], h))
			continue
		}
		w := l.minusOrPlus(l.negated(c), mix, plus)
		m[4][b] = l.times(w, p.v[b])
	}
	m[4][4] = shift(l.minusOrPlus(l.times(l.con(btT2c1), p.v[x]), heat, plus))
	return m
}

func (l *lines) minusOrPlus(a, b *node, plus bool) *node {
	if plus {
		return l.plus(a, b)
	}
	return l.minus(a, b)
}

// negated is -a: zero minus a.
func (l *lines) negated(a *node) *node { return l.minus(l.con(btZero), a) }

// diagonal is 1 + 2*(t1*N + D).
func (l *lines) diagonal(p btPoint, d int) (m [5][5]*node) {
	diag := l.con(btDiag + d/2)
	two := l.times(l.con(btTwo), p.r)
	visc := l.times(l.con(btVisc), two)
	visc43 := l.times(l.con(btVisc43), two)
	mix := l.times(l.con(btMix), two)
	heat := l.times(l.con(btHeat), two)
	third := l.times(l.con(btThird), two)
	x := 1 + d
	m[0][0] = diag
	for a := 1; a <= 3; a++ {
		w, y := visc, mix
		if a == x {
			w, y = visc43, l.plus(mix, third)
		}
		m[a][0] = l.negated(l.times(w, p.v[a]))
		m[a][a] = l.plus(diag, w)
		m[4][a] = l.times(y, p.v[a])
	}
	n := l.fma(heat, p.e, l.fma(l.times(l.con(btTwo), mix), p.q, l.times(l.times(third, p.v[x]), p.v[x])))
	m[4][0] = l.negated(n)
	m[4][4] = l.plus(diag, heat)
	return m
}

// btForward eliminates: C and y at a point from those at the point before.
func (l *lines) btForward(d int) {
	if d > 0 {
		l.prefetchNext(l.uHigh, 0, 1, 2, 3, 4, 5)
		l.prefetchNext(l.r, 0, 1, 2, 3, 4)
	}
	lower := l.block(l.btPoint(l.uLow), d, true) // negated
	b := l.diagonal(l.btPoint(l.u), d)
	var y [5]*node
	for i := range y {
		y[i] = l.load(l.rAt(i))
	}
	for j := range 6 {
		for kk := range 5 {
			c := l.load(l.stateAt(-1, btC+5*kk+j))
			if j == 5 {
				c = l.load(l.stateAt(-1, btY+kk))
			}
			for i := range y {
				if j == 5 {
					y[i] = l.fma(lower[i][kk], c, y[i])
				} else {
					b[i][j] = l.fma(lower[i][kk], c, b[i][j])
				}
			}
		}
	}
	inverse := l.factor(&b)
	y = l.solve(&b, inverse, y)
	for i := range y {
		l.store(l.stateAt(0, btY+i), y[i])
	}
	upper := l.block(l.btPoint(l.uHigh), d, false)
	for j := range 5 {
		var c [5]*node
		for i := range c {
			c[i] = upper[i][j]
		}
		c = l.solve(&b, inverse, c)
		for i := range c {
			l.store(l.stateAt(0, btC+5*i+j), c[i])
		}
	}
}

// factor replaces b by its triangular factors and returns the inverse pivots.
func (l *lines) factor(b *[5][5]*node) (inverse [5]*node) {
	for p := range b {
		inverse[p] = l.over(l.con(btOne), b[p][p])
		for i := p + 1; i < 5; i++ {
			b[i][p] = l.times(b[i][p], inverse[p])
			for j := p + 1; j < 5; j++ {
				b[i][j] = l.fnma(b[i][p], b[p][j], b[i][j])
			}
		}
	}
	return inverse
}

// solve applies the inverse of the factored b to a column.
func (l *lines) solve(b *[5][5]*node, inverse [5]*node, c [5]*node) [5]*node {
	for p := range c {
		for i := p + 1; i < 5; i++ {
			if c[p] == nil {
				continue
			}
			if c[i] == nil {
				c[i] = l.negated(l.times(b[i][p], c[p]))
			} else {
				c[i] = l.fnma(b[i][p], c[p], c[i])
			}
		}
	}
	for p := 4; p >= 0; p-- {
		c[p] = l.times(c[p], inverse[p])
		for i := p - 1; i >= 0; i-- {
			if c[i] == nil {
				c[i] = l.negated(l.times(b[i][p], c[p]))
			} else {
				c[i] = l.fnma(b[i][p], c[p], c[i])
			}
		}
	}
	return c
}

// btBackward substitutes, and stores the solution in the right-hand side or adds it
// to the state.
func (l *lines) btBackward(add bool) {
	var y [5]*node
	for i := range y {
		y[i] = l.load(l.stateAt(0, btY+i))
	}
	for kk := range 5 {
		above := l.load(l.stateAt(1, btY+kk))
		for i := range y {
			y[i] = l.fnma(above, l.load(l.stateAt(0, btC+5*i+kk)), y[i])
		}
	}
	for i := range y {
		l.store(l.stateAt(0, btY+i), y[i])
		if add {
			u := l.plus(y[i], l.load(l.uAt(l.u, i)))
			l.storeMasked(l.uAt(l.u, i), u)
			if i == 0 {
				l.storeMasked(l.uAt(l.u, 5), l.over(l.con(btOne), u))
			}
		} else {
			l.storeMasked(l.rAt(i), y[i])
		}
	}
}
