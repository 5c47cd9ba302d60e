package main

import (
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Fields of opArgs, in bytes.
const (
	opU      = 0
	opR      = 24
	opF      = 48
	opCoef   = 72
	opOff    = 96
	opCx     = 120
	opCy     = 144
	opUAt    = 168
	opRAt    = 176
	opCxAt   = 184
	opCyAt   = 192
	opCyStep = 200
	opCz     = 208
	opN      = 216
	opSkip   = 224
)

// Lane constants of the operator, as in operator.go of the package.
const (
	cMinusT2 = iota
	cPlusT2
	cHalf
	cC2
	cVisc
	cVisc43
	cEnergy
	cKinetic
	cSquare
	cVisc0
	cEnergy0
	cKinetic0
	cRoot
	opConsts
)

// Entries of the offset table, as in operator.go of the package.
const (
	offU    = 0
	offNear = offU + 7
	offFar  = offNear + 3*2*6
	offR    = offFar + 3*2*5

	offNextU = offR + 5
	offNextC = offNextU + 6
	offNextR = offNextC + 1
)

// operatorKernel writes the right-hand side along a run of points, with or without
// SP's T_in.
func operatorKernel(ctx *build.Context, lanes int, transform bool) {
	name := "operator"
	if transform {
		name = "operatorTransform"
	}
	k := begin(ctx, name, lanes, "does what "+name+"Go does, a vector of points at a time.")
	u, r, f, dx, dy, dz, n, px, py := reg.RDI, reg.RSI, reg.RBX, reg.R9, reg.R10, reg.R11, reg.R12, reg.R13, reg.R14
	k.consts, k.offsets, k.spill = reg.RDX, reg.R8, 64*opConsts
	k.temps = []tempReg{{reg: reg.RCX}, {reg: reg.R15}, {reg: reg.RBP}}
	k.element(opU, opUAt, u, reg.RCX)
	k.element(opR, opRAt, r, reg.RCX)
	k.element(opF, opRAt, f, reg.RCX)
	k.element(opCx, opCxAt, px, reg.RCX)
	k.element(opCy, opCyAt, py, reg.RCX)
	ctx.MOVQ(arg(opCoef), k.consts)
	ctx.MOVQ(arg(opOff), k.offsets)
	ctx.MOVQ(arg(opN), n)
	ctx.MOVQ(arg(opCz), dz)
	ctx.ADDQ(k.consts, dz)
	loop := name
	ctx.Label(loop)
	ctx.MOVQ(operand.Mem{Base: px}, dx)
	ctx.ADDQ(k.consts, dx)
	ctx.MOVQ(operand.Mem{Base: py}, dy)
	ctx.ADDQ(k.consts, dy)
	ctx.ADDQ(operand.Imm(8), px)
	ctx.ADDQ(arg(opCyStep), py)
	k.setMaskSkip(n, reg.RCX, reg.R15, opSkip, loop)

	acc := k.operatorBody(u, f, [3]reg.GPPhysical{dx, dy, dz})
	if transform {
		acc = k.transformIn(u, acc)
	}
	for m, v := range acc {
		k.storeMasked(slotted(r, offR+m), v)
	}
	k.emit()
	// The lines of the next run will be needed soon.
	for m := range 6 {
		ctx.PREFETCHT0(k.address(slotted(u, offNextU+m)))
	}
	if transform {
		ctx.PREFETCHT0(k.address(slotted(u, offNextC)))
	}
	for m := range 5 {
		ctx.PREFETCHT0(k.address(slotted(f, offNextR+m)))
		ctx.PREFETCHT0(k.address(slotted(r, offNextR+m)))
	}
	step := operand.Imm(uint64(8 * lanes))
	ctx.ADDQ(step, u)
	ctx.ADDQ(step, r)
	ctx.ADDQ(step, f)
	ctx.SUBQ(operand.Imm(uint64(lanes)), n)
	ctx.JG(operand.LabelRef(loop))
	k.finish()
}

func (k *kernel) operatorBody(u, f reg.GPPhysical, diss [3]reg.GPPhysical) (acc [5]*node) {
	cDiss := func(d, o int) *node { return k.load(at(diss[d], 64*o)) }
	center := k.plus(k.plus(cDiss(0, 2), cDiss(1, 2)), cDiss(2, 2))
	var w [6]*node
	for m := range w {
		w[m] = k.load(slotted(u, offU+m))
	}
	for m := range acc {
		acc[m] = k.fms(center, w[m], k.load(slotted(f, offR+m)))
	}
	kinetic := k.kinetic(w)
	scaled := k.times(k.con(cVisc0), w[5])
	for b := 1; b <= 3; b++ {
		acc[b] = k.fma(scaled, w[b], acc[b])
	}
	heat := k.fma(k.con(cKinetic0), kinetic, k.times(k.con(cEnergy0), w[4]))
	acc[4] = k.fma(w[5], heat, acc[4])

	for d := range 3 {
		for side := range 2 {
			near := offNear + (d*2+side)*6
			far := offFar + (d*2+side)*5
			cNear, cFar := cDiss(d, 1+2*side), cDiss(d, 4*side)
			for m := range acc {
				acc[m] = k.fma(cFar, k.load(slotted(u, far+m)), acc[m])
			}
			for m := range w {
				w[m] = k.load(slotted(u, near+m))
			}
			for m := range acc {
				acc[m] = k.fma(cNear, w[m], acc[m])
			}
			acc = k.fluxes(acc, w, d, cPlusT2-side)
		}
	}
	return acc
}

// kinetic is (m1^2 + m2^2 + m3^2) / (2*rho).
func (k *kernel) kinetic(w [6]*node) *node {
	sum := k.fma(w[3], w[3], k.fma(w[2], w[2], k.times(w[1], w[1])))
	return k.times(k.times(k.con(cHalf), w[5]), sum)
}

// fluxes adds the convective and viscous parts of a neighbour.
func (k *kernel) fluxes(acc [5]*node, w [6]*node, d, t2 int) [5]*node {
	kinetic := k.kinetic(w)
	phi := k.times(k.con(cC2), k.minus(w[4], kinetic))
	vd := k.times(w[1+d], w[5])
	s := k.times(k.con(t2), vd)
	acc[0] = k.fma(k.con(t2), w[1+d], acc[0])
	// (t2*vd + visc*r) * m_b, with 4/3 of visc for b = d.
	weight := k.fma(k.con(cVisc), w[5], s)
	for b := 1; b <= 3; b++ {
		x := weight
		if b == 1+d {
			x = k.fma(k.con(cVisc43), w[5], s)
		}
		acc[b] = k.fma(x, w[b], acc[b])
	}
	acc[1+d] = k.fma(k.con(t2), phi, acc[1+d])
	acc[4] = k.fma(s, k.plus(w[4], phi), acc[4])
	heat := k.fma(k.con(cKinetic), kinetic, k.times(k.con(cEnergy), w[4]))
	acc[4] = k.fma(w[5], heat, acc[4])
	acc[4] = k.fma(k.times(k.con(cSquare), vd), vd, acc[4])
	return acc
}

// transformIn is SP's T_in.
func (k *kernel) transformIn(u reg.GPPhysical, r [5]*node) [5]*node {
	recip, c := k.load(slotted(u, offU+5)), k.load(slotted(u, offU+6))
	var v [4]*node
	for b := 1; b <= 3; b++ {
		v[b] = k.times(k.load(slotted(u, offU+b)), recip)
	}
	q := k.times(k.con(cHalf), k.fma(v[3], v[3], k.fma(v[2], v[2], k.times(v[1], v[1]))))
	t := k.fma(q, r[0], r[4])
	for b := 1; b <= 3; b++ {
		t = k.fnma(v[b], r[b], t)
	}
	w1 := k.times(k.over(k.con(cC2), k.times(c, c)), t)
	root := k.times(k.con(cRoot), recip)
	w2 := k.times(root, k.fms(v[1], r[0], r[1]))
	w3 := k.times(k.times(root, c), w1)
	return [5]*node{
		k.minus(r[0], w1),
		k.times(k.fnma(v[3], r[0], r[3]), recip),
		k.times(k.fms(v[2], r[0], r[2]), recip),
		k.minus(w3, w2),
		k.plus(w3, w2),
	}
}

// Fields of primitiveArgs, in bytes.
const (
	primU    = 0
	primAt   = 24
	primComp = 32
	primN    = 40
	primOne  = 48
)

// primitiveKernel writes the reciprocal density and, if sound is set, the speed of sound.
func primitiveKernel(ctx *build.Context, lanes int, sound bool) {
	name := "reciprocal"
	if sound {
		name = "sound"
	}
	k := begin(ctx, name, lanes, "does what "+name+"Go does, a vector of points at a time.")
	u, comp, comp3, comp5, n := reg.RDI, reg.R9, reg.R10, reg.R11, reg.R12
	k.consts = reg.RDX
	k.temps = []tempReg{{reg: reg.RCX}}
	k.element(primU, primAt, u, reg.RCX)
	ctx.MOVQ(arg(primComp), comp)
	ctx.LEAQ(operand.Mem{Base: comp, Index: comp, Scale: 2}, comp3)
	ctx.LEAQ(operand.Mem{Base: comp, Index: comp, Scale: 4}, comp5)
	ctx.MOVQ(arg(primOne), k.consts)
	ctx.MOVQ(arg(primN), n)
	ctx.Label(name)
	k.setMask(n, reg.RCX, name)
	r := k.over(k.con(0), k.load(at(u, 0)))
	k.storeMasked(indexed(u, comp5, 1, 0), r)
	if sound {
		v1 := k.times(k.load(indexed(u, comp, 1, 0)), r)
		v2 := k.times(k.load(indexed(u, comp, 2, 0)), r)
		v3 := k.times(k.load(indexed(u, comp3, 1, 0)), r)
		q := k.times(k.con(1), k.fma(v3, v3, k.fma(v2, v2, k.times(v1, v1))))
		e := k.fms(k.load(indexed(u, comp, 4, 0)), r, q)
		k.storeMasked(indexed(u, comp3, 2, 0), k.sqrt(k.times(k.con(2), e)))
	}
	k.emit()
	ctx.ADDQ(operand.Imm(uint64(8*lanes)), u)
	ctx.SUBQ(operand.Imm(uint64(lanes)), n)
	ctx.JG(operand.LabelRef(name))
	k.finish()
}
