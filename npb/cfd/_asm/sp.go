package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/reg"
)

// Lane constants of SP, as in lines.go of the package.
const (
	spT2 = iota
	spSigma
	spTwo
	spHalf
	spRoot
	spOne
	spFive
	spZero
	spSound
	spConsts
)

const (
	spAlpha = 0
	spBeta  = 3
	spY     = 6
	spWidth = 11
)

func spKernels(ctx *build.Context, lanes int) {
	for d := range 3 {
		lineKernel(ctx, lanes, fmt.Sprintf("forward%c", "XYZ"[d]), spWidth, spConsts,
			lines{useU: true, useR: true, useRows: true}, func(l *lines) { l.spForward(d) })
	}
	for d := range 3 {
		lineKernel(ctx, lanes, fmt.Sprintf("backward%c", "XYZ"[d]), spWidth, spConsts,
			lines{useU: d == 2, useR: d < 2, backward: true}, func(l *lines) { l.spBackward(d) })
	}
}

// spFactor is the index of the factor for each component.
var spFactor = [5]int{0, 0, 0, 1, 2}

func (l *lines) spForward(d int) {
	if d > 0 {
		l.prefetchNext(l.uHigh, 1+d, 5, 6)
		l.prefetchNext(l.r, 0, 1, 2, 3, 4)
	}
	var row [5]*node
	for i := range row {
		row[i] = l.broadcast(at(l.rows, 8*i))
	}
	side := func(base reg.GPPhysical) (recip, convection, sound *node) {
		recip = l.load(l.uAt(base, 5))
		m := l.times(l.load(l.uAt(base, 1+d)), l.con(spT2))
		return recip, m, l.times(l.load(l.uAt(base, 6)), l.con(spT2))
	}
	rLow, mLow, cLow := side(l.uLow)
	rHigh, mHigh, cHigh := side(l.uHigh)
	sigma := l.con(spSigma)
	// (m*t2 + sigma)/rho below, (m*t2 - sigma)/rho above.
	low := l.fnma(l.plus(mLow, sigma), rLow, row[1])
	high := l.fma(l.minus(mHigh, sigma), rHigh, row[3])
	diag := l.fma(l.times(l.con(spTwo), sigma), l.load(l.uAt(l.u, 5)), row[2])
	lows := [3]*node{low, l.minus(low, cLow), l.plus(low, cLow)}
	highs := [3]*node{high, l.plus(high, cHigh), l.minus(high, cHigh)}

	var lo, pivot [3]*node
	for f := range lo {
		lo[f] = l.fnma(row[0], l.load(l.stateAt(-2, spAlpha+f)), lows[f])
		pivot[f] = l.fnma(row[0], l.load(l.stateAt(-2, spBeta+f)), diag)
		pivot[f] = l.fnma(lo[f], l.load(l.stateAt(-1, spAlpha+f)), pivot[f])
	}
	// One division serves three pivots.
	p01 := l.times(pivot[0], pivot[1])
	all := l.over(l.con(spOne), l.times(p01, pivot[2]))
	inverse := [3]*node{2: l.times(all, p01)}
	rest := l.times(all, pivot[2])
	inverse[0], inverse[1] = l.times(rest, pivot[1]), l.times(rest, pivot[0])
	for f := range lo {
		high := l.fnma(lo[f], l.load(l.stateAt(-1, spBeta+f)), highs[f])
		l.store(l.stateAt(0, spAlpha+f), l.times(high, inverse[f]))
		l.store(l.stateAt(0, spBeta+f), l.times(row[4], inverse[f]))
	}
	for m, f := range spFactor {
		y := l.fnma(row[0], l.load(l.stateAt(-2, spY+m)), l.load(l.rAt(m)))
		y = l.fnma(lo[f], l.load(l.stateAt(-1, spY+m)), y)
		l.store(l.stateAt(0, spY+m), l.times(y, inverse[f]))
	}
}

func (l *lines) spBackward(d int) {
	var x [5]*node
	for m, f := range spFactor {
		y := l.fnma(l.load(l.stateAt(0, spBeta+f)), l.load(l.stateAt(2, spY+m)), l.load(l.stateAt(0, spY+m)))
		x[m] = l.fnma(l.load(l.stateAt(0, spAlpha+f)), l.load(l.stateAt(1, spY+m)), y)
		l.store(l.stateAt(0, spY+m), x[m])
	}
	negated := func(a *node) *node { return l.minus(l.con(spZero), a) }
	root, half := l.con(spRoot), l.con(spHalf)
	var s [5]*node
	switch d {
	case 0, 1:
		w1 := l.times(root, x[2-2*d])
		w2 := l.times(half, l.plus(x[3], x[4]))
		diff := l.times(root, l.minus(x[3], x[4]))
		s = [5]*node{negated(x[1]), x[0], diff, l.minus(w2, w1), l.plus(w2, w1)}
		if d == 1 {
			s[0], s[1], s[2] = diff, negated(x[2]), x[1]
		}
		for m := range s {
			l.storeMasked(l.rAt(m), s[m])
		}
		return
	}
	l.prefetchNext(l.u, 0, 1, 2, 4)
	var u [7]*node
	for m := range u {
		u[m] = l.load(l.uAt(l.u, m))
	}
	var v [4]*node
	for b := 1; b <= 3; b++ {
		v[b] = l.times(u[b], u[5])
	}
	q := l.times(half, l.fma(v[3], v[3], l.fma(v[2], v[2], l.times(v[1], v[1]))))
	rr := l.times(root, u[0])
	w1 := l.times(l.over(rr, u[6]), l.plus(x[3], x[4]))
	w2 := l.plus(x[2], w1)
	w3 := l.times(rr, l.minus(x[3], x[4]))
	s[0] = w2
	s[1] = l.fnma(u[0], x[1], l.times(v[1], w2))
	s[2] = l.fma(u[0], x[0], l.times(v[2], w2))
	s[3] = l.fma(v[3], w2, w3)
	s[4] = l.times(u[0], l.fnma(v[1], x[1], l.times(v[2], x[0])))
	s[4] = l.fma(q, w2, s[4])
	s[4] = l.fma(l.times(l.times(l.con(spFive), u[6]), u[6]), w1, s[4])
	s[4] = l.fma(v[3], w3, s[4])
	for m := range s {
		u[m] = l.plus(s[m], u[m])
		l.storeMasked(l.uAt(l.u, m), u[m])
	}
	r := l.over(l.con(spOne), u[0])
	l.storeMasked(l.uAt(l.u, 5), r)
	q = l.times(l.times(half, r), l.fma(u[3], u[3], l.fma(u[2], u[2], l.times(u[1], u[1]))))
	c := l.times(l.times(l.con(spSound), r), l.minus(u[4], q))
	l.storeMasked(l.uAt(l.u, 6), l.sqrt(c))
}
