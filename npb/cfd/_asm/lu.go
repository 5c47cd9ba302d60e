package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Fields of sweepArgs, in bytes.
const (
	luU      = 0
	luV      = 24
	luC      = 48
	luOff    = 72
	luUAt    = 96
	luVAt    = 104
	luN      = 112
	luSkip   = 120
	luOffV   = 4 * 6
	luNextU  = luOffV + 4*5
	luNextV  = luNextU + 6
	luComps  = 5
	luStates = 6
)

// Lane constants of LU, as in sweep.go of the package.
const (
	luDt = iota
	luT2
	luHalf
	luC1
	luC2
	luD
	luDz
	luVisc
	luThird
	luMix
	luHeat
	luD0
	luInvD0
	luDiagVisc
	luDiagHeat
	luDiagMix
	luOne
	luRelax
	luConsts
)

type diagonal struct {
	*kernel
	u, v, n reg.GPPhysical
}

func luKernels(ctx *build.Context, lanes int) {
	luKernel(ctx, lanes, "lower", func(k *diagonal) {
		var acc [5]*node
		for m := range acc {
			acc[m] = k.times(k.con(luDt), k.load(slotted(k.v, luOffV+m)))
		}
		acc = k.solve(k.neighbours(acc))
		for m := range acc {
			k.storeMasked(slotted(k.v, luOffV+m), acc[m])
		}
	})
	luKernel(ctx, lanes, "upper", func(k *diagonal) {
		acc := k.solve(k.neighbours([5]*node{}))
		for m := range acc {
			p := slotted(k.v, luOffV+m)
			k.storeMasked(p, k.plus(acc[m], k.load(p)))
		}
	})
	luKernel(ctx, lanes, "advance", func(k *diagonal) {
		var rho *node
		for m := range 5 {
			p := slotted(k.u, m)
			x := k.fma(k.con(luRelax), k.load(slotted(k.v, luOffV+m)), k.load(p))
			k.storeMasked(p, x)
			if m == 0 {
				rho = x
			}
		}
		k.storeMasked(slotted(k.u, 5), k.over(k.con(luOne), rho))
	})
}

func luKernel(ctx *build.Context, lanes int, name string, body func(*diagonal)) {
	k := &diagonal{
		kernel: begin(ctx, name, lanes, "does what "+name+"Go does, a vector of points at a time."),
		u:      reg.RDI, v: reg.RSI, n: reg.RBX,
	}
	k.consts, k.offsets, k.spill = reg.RDX, reg.R8, 64*luConsts
	for _, t := range []reg.GPPhysical{reg.RCX, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14, reg.R15} {
		k.temps = append(k.temps, tempReg{reg: t})
	}
	k.element(luU, luUAt, k.u, reg.RCX)
	k.element(luV, luVAt, k.v, reg.RCX)
	ctx.MOVQ(arg(luC), k.consts)
	ctx.MOVQ(arg(luOff), k.offsets)
	ctx.MOVQ(arg(luN), k.n)
	ctx.Label(name)
	k.setMaskSkip(k.n, reg.RCX, reg.R9, luSkip, name)
	body(k)
	k.emit()
	if name != "advance" {
		for m := range 6 {
			ctx.PREFETCHT0(k.address(slotted(k.u, luNextU+m)))
		}
		for m := range 5 {
			ctx.PREFETCHT0(k.address(slotted(k.v, luNextV+m)))
		}
	}
	ctx.ADDQ(operand.Imm(uint64(8*lanes)), k.u)
	ctx.ADDQ(operand.Imm(uint64(8*lanes)), k.v)
	ctx.SUBQ(operand.Imm(uint64(lanes)), k.n)
	ctx.JG(operand.LabelRef(name))
	k.finish()
}

// neighbours adds the off-diagonal blocks applied to the v of three neighbours, the one in z first, because
// it is available earliest.
func (k *diagonal) neighbours(acc [5]*node) [5]*node {
	for d := 2; d >= 0; d-- {
		u, v := luStates*(d+1), luOffV+luComps*(d+1)
		var w [5]*node
		for m := range w {
			w[m] = k.load(slotted(k.v, v+m))
		}
		r := k.load(slotted(k.u, u+5))
		var vel, y [4]*node
		for b := 1; b <= 3; b++ {
			vel[b] = k.times(k.load(slotted(k.u, u+b)), r)
			y[b] = k.fnma(vel[b], w[0], w[b])
		}
		q := k.times(k.con(luHalf), k.fma(vel[3], vel[3], k.fma(vel[2], vel[2], k.times(vel[1], vel[1]))))
		vy := k.fma(vel[3], y[3], k.fma(vel[2], y[2], k.times(vel[1], y[1])))
		e := k.times(k.load(slotted(k.u, u+4)), r)
		vd, z := vel[1+d], y[1+d]
		phi := k.times(k.con(luC2), k.minus(k.fnma(q, w[0], w[4]), vy))
		enthalpy := k.fnma(k.con(luC2), q, k.times(k.con(luC1), e))

		for m := range acc {
			acc[m] = k.fma(k.con(luD+d/2), w[m], acc[m])
		}
		t2 := func() *node { return k.con(luT2) }
		acc[0] = k.fma(t2(), w[1+d], acc[0])
		visc := k.times(k.con(luVisc), r)
		tz, tv := k.times(t2(), z), k.times(t2(), vd)
		for b := 1; b <= 3; b++ {
			acc[b] = k.fma(vel[b], tz, acc[b])
			acc[b] = k.fma(tv, w[b], acc[b])
			acc[b] = k.fma(visc, y[b], acc[b])
		}
		third := k.times(k.times(k.con(luThird), r), z)
		acc[1+d] = k.plus(k.fma(t2(), phi, acc[1+d]), third)
		acc[4] = k.fma(tv, k.plus(phi, w[4]), acc[4])
		acc[4] = k.fma(tz, enthalpy, acc[4])
		heat := k.times(k.con(luHeat), k.fnma(e, w[0], w[4]))
		acc[4] = k.fma(r, k.fma(k.con(luMix), vy, heat), acc[4])
		acc[4] = k.fma(third, vd, acc[4])
	}
	return acc
}

// solve applies the inverse of the diagonal block.
func (k *diagonal) solve(acc [5]*node) (w [5]*node) {
	r := k.load(slotted(k.u, 5))
	visc := k.times(k.con(luDiagVisc), r)
	heat := k.times(k.con(luDiagHeat), r)
	// One division serves both pivots.
	pa, p4 := k.plus(k.con(luD0), visc), k.plus(k.con(luD0), heat)
	both := k.over(k.con(luOne), k.times(pa, p4))
	inverse, inverse4 := k.times(both, p4), k.times(both, pa)
	w[0] = k.times(k.con(luInvD0), acc[0])
	var vy *node
	for b := 1; b <= 3; b++ {
		v := k.times(k.load(slotted(k.u, b)), r)
		vw := k.times(v, w[0])
		w[b] = k.times(k.fma(visc, vw, acc[b]), inverse)
		vy = k.fma(v, k.minus(w[b], vw), vy)
	}
	e := k.times(k.load(slotted(k.u, 4)), r)
	mix := k.times(k.con(luDiagMix), r)
	t := k.fma(heat, k.times(e, w[0]), acc[4])
	w[4] = k.times(k.fnma(mix, vy, t), inverse4)
	return w
}
