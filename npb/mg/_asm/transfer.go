package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// odd and even extract the numbers at odd and even positions of the fine row, counted from 1, from two
// adjacent vectors.
func (v isa) odd(a, b VecVirtual) VecVirtual {
	r := v.vec()
	VUNPCKLPD(b, a, r) // a0 b0 a2 b2 ...
	return v.sorted(r)
}

func (v isa) even(a, b VecVirtual) VecVirtual {
	r := v.vec()
	VUNPCKHPD(b, a, r)
	return v.sorted(r)
}

// sorted turns a0 b0 a2 b2 ... into a0 a2 ... b0 b2 ...
func (v isa) sorted(r VecVirtual) VecVirtual {
	if v.width == 32 {
		VPERMPD(U8(0b11011000), r, r)
		return r
	}
	VPERMPD(r, v.order(), r)
	return r
}

// order is the permutation of sorted for vectors of 8; see restrict.
func (v isa) order() VecVirtual { return permutation }

var permutation VecVirtual

func (v isa) restrict() {
	TEXT("restrict"+v.suffix, NOSPLIT, "func(s, r *float64, nx, ny, srow, row, plane int, c *float64)")
	s := Load(Param("s"), GP64())
	r := Load(Param("r"), GP64()) // above the first coarse point: fine point 2, but at 1 along x
	nx := Load(Param("nx"), GP64())
	ny := Load(Param("ny"), GP64())
	srow := Load(Param("srow"), GP64())
	row := Load(Param("row"), GP64())
	c := Mem{Base: Load(Param("c"), GP64())}
	c0, c1, c2, c3 := v.spread(c), v.spread(c.Offset(8)), v.spread(c.Offset(16)), v.spread(c.Offset(24))
	if v.width == 64 {
		permutation = v.vec()
		VMOVDQU64(c.Offset(32), permutation)
	}
	g := v.newShape(row, Load(Param("plane"), GP64()))
	at, i := GP64(), GP64()

	Label("trow" + v.suffix)
	MOVQ(r, at)
	g.start(at)
	XORQ(i, i)
	if v.width == 64 {
		v.restrictCarried(g, s, nx, i, [4]VecVirtual{c0, c1, c2, c3})
	} else {
		v.restrictLoaded(g, s, nx, i, [4]VecVirtual{c0, c1, c2, c3})
	}
	ADDQ(srow, s)
	LEAQ(Mem{Base: r, Index: row, Scale: 2}, r)
	DECQ(ny)
	JNZ(LabelRef("trow" + v.suffix))
	VZEROUPPER()
	RET()
}

// restrictCarried keeps the values at odd positions of the fine row for the next vector.
func (v isa) restrictCarried(g *shape, s, nx Register, i GPVirtual, c [4]VecVirtual) {
	mid := func(disp int) VecVirtual { return v.load(Mem{Base: g.at, Disp: disp}) }
	f0, f1 := g.faces(0), g.faces(v.width)
	e0, e1 := g.edges(0), g.edges(v.width)
	m0, m1 := mid(0), mid(v.width)
	f, e, m := v.odd(f0, f1), v.odd(e0, e1), v.odd(m0, m1)
	fEven, eEven, mEven := v.even(f0, f1), v.even(e0, e1), v.even(m0, m1)
	Label("tvec" + v.suffix)
	f0, f1 = g.faces(2*v.width), g.faces(3*v.width)
	e0, e1 = g.edges(2*v.width), g.edges(3*v.width)
	m0, m1 = mid(2*v.width), mid(3*v.width)
	fNext, eNext, mNext := v.odd(f0, f1), v.odd(e0, e1), v.odd(m0, m1)
	sum := v.mul(c[0], mEven)
	VFMADD231PD(v.add(v.add(m, v.right(m, mNext)), fEven), c[1], sum)
	VFMADD231PD(v.add(v.add(f, v.right(f, fNext)), eEven), c[2], sum)
	VFMADD231PD(v.add(e, v.right(e, eNext)), c[3], sum)
	VMOVUPD(sum, Mem{Base: s, Index: i, Scale: 8})
	move(fNext, f)
	move(eNext, e)
	move(mNext, m)
	move(v.even(f0, f1), fEven)
	move(v.even(e0, e1), eEven)
	move(v.even(m0, m1), mEven)
	v.restrictNext(g, nx, i)
}

// restrictLoaded computes all sums anew, because there are too few registers to keep them.
func (v isa) restrictLoaded(g *shape, s, nx Register, i GPVirtual, c [4]VecVirtual) {
	const point = 8
	mid := func(disp int) VecVirtual { return v.load(Mem{Base: g.at, Disp: disp}) }
	Label("tvec" + v.suffix)
	m0, m1 := mid(0), mid(v.width)
	sum, m := v.mul(c[0], v.even(m0, m1)), v.odd(m0, m1)
	m = v.add(m, v.odd(mid(2*point), mid(2*point+v.width)))
	f0, f1 := g.faces(0), g.faces(v.width)
	VFMADD231PD(v.add(m, v.even(f0, f1)), c[1], sum)
	f := v.add(v.odd(f0, f1), v.odd(g.faces(2*point), g.faces(2*point+v.width)))
	e0, e1 := g.edges(0), g.edges(v.width)
	VFMADD231PD(v.add(f, v.even(e0, e1)), c[2], sum)
	e := v.add(v.odd(e0, e1), v.odd(g.edges(2*point), g.edges(2*point+v.width)))
	VFMADD231PD(e, c[3], sum)
	VMOVUPD(sum, Mem{Base: s, Index: i, Scale: 8})
	v.restrictNext(g, nx, i)
}

func (v isa) restrictNext(g *shape, nx Register, i GPVirtual) {
	g.step()
	g.step()
	ADDQ(Imm(uint64(v.width/8)), i)
	CMPQ(i, nx)
	JLT(LabelRef("tvec" + v.suffix))
}

// prolong sets the fine rows above ny coarse rows, or adds to them: the pairs of fine points 2l+1, 2l+2 for
// l = 0..nx-1. The ghosts at both ends are not written.
func (v isa) prolong(fresh bool) {
	name := "prolong"
	if fresh {
		name = "prolongFresh"
	}
	TEXT(name+v.suffix, NOSPLIT, "func(u, z *float64, nx, ny, row, plane, zrow, zplane int, c *float64)")
	u := Load(Param("u"), GP64()) // fine point 1 of the first row
	z := Load(Param("z"), GP64()) // coarse point 1 of the first row
	nx := Load(Param("nx"), GP64())
	ny := Load(Param("ny"), GP64())
	row := Load(Param("row"), GP64())
	plane := Load(Param("plane"), GP64())
	zrow := Load(Param("zrow"), GP64())
	zplane := Load(Param("zplane"), GP64())
	c := Mem{Base: Load(Param("c"), GP64())}
	half, quarter, eighth := v.spread(c), v.spread(c.Offset(8)), v.spread(c.Offset(16))
	at, up, low, high, i := GP64(), GP64(), GP64(), GP64(), GP64()
	var lowPart, highPart VecVirtual
	if v.width == 64 {
		lowPart, highPart = v.vec(), v.vec()
		VMOVDQU64(c.Offset(24), lowPart)
		VMOVDQU64(c.Offset(24+64), highPart)
	}
	sums := func(disp int) (a, b, c, d VecVirtual) {
		a = v.load(Mem{Base: at, Disp: disp})
		z10 := v.load(Mem{Base: at, Index: zrow, Scale: 1, Disp: disp})
		z01 := v.load(Mem{Base: up, Disp: disp})
		b, c = v.add(a, z10), v.add(a, z01)
		d = v.add(b, v.plus(z01, Mem{Base: up, Index: zrow, Scale: 1, Disp: disp}))
		return a, b, c, d
	}
	// put writes or adds mean (on the left of a pair) and full (on the right).
	put := func(to Mem, mean, full VecVirtual) {
		first, second := v.interleave(mean, full, lowPart, highPart)
		if !fresh {
			first, second = v.plus(first, to), v.plus(second, to.Offset(v.width))
		}
		VMOVUPD(first, to)
		VMOVUPD(second, to.Offset(v.width))
	}

	Label(name + "row" + v.suffix)
	MOVQ(z, at)
	LEAQ(Mem{Base: z, Index: zplane, Scale: 1}, up)
	MOVQ(u, low)
	LEAQ(Mem{Base: u, Index: plane, Scale: 1}, high)
	XORQ(i, i)
	aPrev, bPrev, cPrev, dPrev := sums(-v.width)
	Label(name + "vec" + v.suffix)
	a, b, cc, d := sums(0)
	put(Mem{Base: low}, v.mul(half, v.add(a, v.left(aPrev, a))), a)
	put(Mem{Base: low, Index: row, Scale: 1}, v.mul(quarter, v.add(b, v.left(bPrev, b))), v.mul(half, b))
	put(Mem{Base: high}, v.mul(quarter, v.add(cc, v.left(cPrev, cc))), v.mul(half, cc))
	put(Mem{Base: high, Index: row, Scale: 1}, v.mul(eighth, v.add(d, v.left(dPrev, d))), v.mul(quarter, d))
	move(a, aPrev)
	move(b, bPrev)
	move(cc, cPrev)
	move(d, dPrev)
	for _, r := range []Op{at, up} {
		ADDQ(Imm(uint64(v.width)), r)
	}
	for _, r := range []Op{low, high} {
		ADDQ(Imm(uint64(2*v.width)), r)
	}
	ADDQ(Imm(uint64(v.width/8)), i)
	CMPQ(i, nx)
	JLT(LabelRef(name + "vec" + v.suffix))

	ADDQ(zrow, z)
	LEAQ(Mem{Base: u, Index: row, Scale: 2}, u)
	DECQ(ny)
	JNZ(LabelRef(name + "row" + v.suffix))
	VZEROUPPER()
	RET()
}

// interleave returns a0 b0 a1 b1 ... in two vectors.
func (v isa) interleave(a, b, lowPart, highPart VecVirtual) (first, second VecVirtual) {
	first, second = v.vec(), v.vec()
	if v.width == 64 {
		move(lowPart, first)
		VPERMI2PD(b, a, first)
		move(highPart, second)
		VPERMI2PD(b, a, second)
		return first, second
	}
	lo, hi := v.vec(), v.vec()
	VUNPCKLPD(b, a, lo)
	VUNPCKHPD(b, a, hi)
	VPERM2F128(U8(0x20), hi, lo, first)
	VPERM2F128(U8(0x31), hi, lo, second)
	return first, second
}
