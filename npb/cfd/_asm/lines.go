package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Fields of cfd.LineArgs, in bytes.
const (
	lineU       = 0
	lineR       = 24
	lineState   = 48
	lineFrame   = 72
	lineRows    = 96
	lineUAt     = 120
	lineUComp   = 128
	lineUStep   = 136
	lineRAt     = 144
	lineRComp   = 152
	lineRStep   = 160
	lineStateAt = 168
	lineRowsAt  = 184
	lineN       = 192
	lineValid   = 200
)

// A lines kernel moves along a group of lines, point by point.
type lines struct {
	*kernel
	u, uLow, uHigh          reg.GPPhysical // states here, at the point before and after
	uComp, uComp3, uComp5   reg.GPPhysical
	r, rComp, rComp3        reg.GPPhysical
	state, rows, n          reg.GPPhysical
	name                    string
	width                   int // of the state
	backward, useU, useRows bool
	useR                    bool
}

// lineKernel writes one pass along lines.
func lineKernel(ctx *build.Context, lanes int, name string, width, consts int, l lines, body func(*lines)) {
	l.kernel = begin(ctx, name, lanes, "does what its Go form does, a vector of lines at a time.")
	l.name, l.width = name, width
	l.u, l.uLow, l.uHigh = reg.RDI, reg.R8, reg.R9
	l.uComp, l.uComp3, l.uComp5 = reg.R10, reg.R11, reg.R12
	l.r, l.rComp, l.rComp3 = reg.RSI, reg.R13, reg.R14
	l.state, l.rows, l.n = reg.RBX, reg.RBP, reg.R15
	l.consts, l.spill = reg.RDX, 64*consts
	l.prologue()
	ctx.Label(name)
	body(&l)
	l.emit()
	l.advance()
	ctx.JG(operand.LabelRef(name))
	l.finish()
}

func (l *lines) prologue() {
	c := l.ctx
	c.MOVQ(arg(lineValid), reg.RCX)
	l.setMask(reg.RCX, reg.R15, l.name)
	l.element(lineState, lineStateAt, l.state, reg.RCX)
	c.MOVQ(arg(lineN), l.n)
	c.MOVQ(arg(lineFrame), l.consts)
	last := func(step operand.Op, base reg.GPPhysical) {
		if l.backward {
			c.MOVQ(l.n, reg.RCX)
			c.DECQ(reg.RCX)
			c.IMULQ(step, reg.RCX)
			c.ADDQ(reg.RCX, base)
		}
	}
	if l.backward {
		c.MOVQ(l.n, reg.RCX)
		c.DECQ(reg.RCX)
		c.IMUL3Q(operand.U32(uint32(l.width*64)), reg.RCX, reg.RCX)
		c.ADDQ(reg.RCX, l.state)
	}
	if l.useU {
		l.element(lineU, lineUAt, l.u, reg.RCX)
		c.MOVQ(arg(lineUComp), l.uComp)
		c.LEAQ(operand.Mem{Base: l.uComp, Index: l.uComp, Scale: 2}, l.uComp3)
		c.LEAQ(operand.Mem{Base: l.uComp, Index: l.uComp, Scale: 4}, l.uComp5)
		last(arg(lineUStep), l.u)
		c.MOVQ(l.u, l.uLow)
		c.SUBQ(arg(lineUStep), l.uLow)
		c.MOVQ(l.u, l.uHigh)
		c.ADDQ(arg(lineUStep), l.uHigh)
	}
	if l.useR {
		l.element(lineR, lineRAt, l.r, reg.RCX)
		c.MOVQ(arg(lineRComp), l.rComp)
		c.LEAQ(operand.Mem{Base: l.rComp, Index: l.rComp, Scale: 2}, l.rComp3)
		last(arg(lineRStep), l.r)
	}
	if l.useRows {
		l.element(lineRows, lineRowsAt, l.rows, reg.RCX)
	}
}

// advance moves to the next point and counts.
func (l *lines) advance() {
	c := l.ctx
	move := func(amount operand.Op, bases ...reg.GPPhysical) {
		for _, b := range bases {
			if l.backward {
				c.SUBQ(amount, b)
			} else {
				c.ADDQ(amount, b)
			}
		}
	}
	move(operand.U32(uint32(l.width*64)), l.state)
	if l.useU {
		move(arg(lineUStep), l.u)
		if !l.backward {
			move(arg(lineUStep), l.uLow, l.uHigh)
		}
	}
	if l.useR {
		move(arg(lineRStep), l.r)
	}
	if l.useRows {
		move(operand.Imm(5*8), l.rows)
	}
	c.DECQ(l.n)
}

// uAt is component m of the state at one of the three points.
func (l *lines) uAt(base reg.GPPhysical, m int) mem {
	switch m {
	case 0:
		return at(base, 0)
	case 1, 2, 4:
		return indexed(base, l.uComp, m, 0)
	case 3:
		return indexed(base, l.uComp3, 1, 0)
	case 5:
		return indexed(base, l.uComp5, 1, 0)
	case 6:
		return indexed(base, l.uComp3, 2, 0)
	}
	panic("component")
}

// rAt is component m of the right-hand side.
func (l *lines) rAt(m int) mem {
	switch m {
	case 0:
		return at(l.r, 0)
	case 3:
		return indexed(l.r, l.rComp3, 1, 0)
	}
	return indexed(l.r, l.rComp, m, 0)
}

// stateAt is value i of the state, points ahead.
func (l *lines) stateAt(points, i int) mem { return at(l.state, points*l.width*64+i*64) }

// prefetchNext prefetches components of the adjacent lines, which are next.
func (l *lines) prefetchNext(base reg.GPPhysical, comps ...int) {
	for _, m := range comps {
		p := l.rAt(m)
		if base != l.r {
			p = l.uAt(base, m)
		}
		p.disp += 8 * 8
		l.ctx.PREFETCHT1(l.address(p))
	}
}
