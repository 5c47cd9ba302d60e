// Command asm generates the assembly of package ft: the loops of radix.go and
// move.go, for vectors of 8 numbers (AVX-512) and of 4 (AVX2).
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// A cell is eight real parts, then eight imaginary parts.
const (
	imaginary = 64
	cell      = 128
	roots     = 6 * 8 // bytes of the roots of one step
)

// isa is one instruction set.
type isa struct {
	suffix string
	width  int // bytes of a vector
}

func (v isa) vec() VecVirtual {
	if v.width == 64 {
		return ZMM()
	}
	return YMM()
}

func (v isa) load(m Mem) VecVirtual { r := v.vec(); VMOVUPD(m, r); return r }

func (v isa) spread(m Mem) VecVirtual { r := v.vec(); VBROADCASTSD(m, r); return r }

func (v isa) add(a, b VecVirtual) VecVirtual { r := v.vec(); VADDPD(b, a, r); return r }
func (v isa) sub(a, b VecVirtual) VecVirtual { r := v.vec(); VSUBPD(b, a, r); return r }
func (v isa) mul(a, b VecVirtual) VecVirtual { r := v.vec(); VMULPD(b, a, r); return r }

// complex is a vector of real and one of imaginary parts.
type complex struct{ re, im VecVirtual }

func (v isa) loadCell(m Mem) complex { return complex{v.load(m), v.load(m.Offset(imaginary))} }

func (c complex) store(m Mem) {
	VMOVUPD(c.re, m)
	VMOVUPD(c.im, m.Offset(imaginary))
}

func (v isa) plus(a, b complex) complex  { return complex{v.add(a.re, b.re), v.add(a.im, b.im)} }
func (v isa) minus(a, b complex) complex { return complex{v.sub(a.re, b.re), v.sub(a.im, b.im)} }

// plusTurned and minusTurned are a + ib and a - ib.
func (v isa) plusTurned(a, b complex) complex {
	return complex{v.sub(a.re, b.im), v.add(a.im, b.re)}
}
func (v isa) minusTurned(a, b complex) complex {
	return complex{v.add(a.re, b.im), v.sub(a.im, b.re)}
}

// times multiplies by a root of unity.
func (v isa) times(a complex, wr, wi VecVirtual) complex {
	re, im := v.mul(a.im, wi), v.mul(a.re, wi)
	VFMSUB231PD(wr, a.re, re)
	VFMADD231PD(wr, a.im, im)
	return complex{re, im}
}

// four is a transform of length 4.
func (v isa) four(a, b, c, d complex) (p, q, r, s complex) {
	ac, bd := v.plus(a, c), v.plus(b, d)
	p, r = v.plus(ac, bd), v.minus(ac, bd)
	ac, bd = v.minus(a, c), v.minus(b, d)
	return p, v.plusTurned(ac, bd), r, v.minusTurned(ac, bd)
}

func (v isa) radixFour() {
	TEXT("radixFour"+v.suffix, NOSPLIT, "func(work *float64, quarter, blocks int, roots *float64)")
	block := Load(Param("work"), GP64())
	quarter := Load(Param("quarter"), GP64())
	blocks := Load(Param("blocks"), GP64())
	first := Load(Param("roots"), GP64())
	size := GP64()
	MOVQ(quarter, size)
	SHLQ(U8(7), size)
	third := GP64() // offset of the last quarter
	LEAQ(Mem{Base: size, Index: size, Scale: 2}, third)
	at, root, count := GP64(), GP64(), GP64()

	Label("block" + v.suffix)
	MOVQ(block, at)
	MOVQ(first, root)
	MOVQ(quarter, count)
	Label("step" + v.suffix)
	w := Mem{Base: root}
	for half := 0; half < imaginary; half += v.width {
		m := [4]Mem{
			{Base: at, Disp: half}, {Base: at, Index: size, Scale: 1, Disp: half},
			{Base: at, Index: size, Scale: 2, Disp: half}, {Base: at, Index: third, Scale: 1, Disp: half},
		}
		p, q, r, s := v.four(v.loadCell(m[0]), v.loadCell(m[1]), v.loadCell(m[2]), v.loadCell(m[3]))
		p.store(m[0])
		v.times(q, v.spread(w), v.spread(w.Offset(8))).store(m[1])
		v.times(r, v.spread(w.Offset(16)), v.spread(w.Offset(24))).store(m[2])
		v.times(s, v.spread(w.Offset(32)), v.spread(w.Offset(40))).store(m[3])
	}
	ADDQ(U8(roots), root)
	SUBQ(I8(-cell), at)
	DECQ(count)
	JNZ(LabelRef("step" + v.suffix))
	LEAQ(Mem{Base: block, Index: size, Scale: 4}, block)
	DECQ(blocks)
	JNZ(LabelRef("block" + v.suffix))
	VZEROUPPER()
	RET()
}

func (v isa) lastFour() {
	TEXT("lastFour"+v.suffix, NOSPLIT, "func(work *float64, blocks int)")
	at := Load(Param("work"), GP64())
	blocks := Load(Param("blocks"), GP64())
	Label("four" + v.suffix)
	for half := 0; half < imaginary; half += v.width {
		m := Mem{Base: at, Disp: half}
		p, q, r, s := v.four(v.loadCell(m), v.loadCell(m.Offset(cell)), v.loadCell(m.Offset(2*cell)), v.loadCell(m.Offset(3*cell)))
		p.store(m)
		q.store(m.Offset(cell))
		r.store(m.Offset(2 * cell))
		s.store(m.Offset(3 * cell))
	}
	ADDQ(I32(4*cell), at)
	DECQ(blocks)
	JNZ(LabelRef("four" + v.suffix))
	VZEROUPPER()
	RET()
}

func (v isa) lastTwo() {
	TEXT("lastTwo"+v.suffix, NOSPLIT, "func(work *float64, blocks int)")
	at := Load(Param("work"), GP64())
	blocks := Load(Param("blocks"), GP64())
	Label("two" + v.suffix)
	for half := 0; half < imaginary; half += v.width {
		m := Mem{Base: at, Disp: half}
		a, b := v.loadCell(m), v.loadCell(m.Offset(cell))
		v.plus(a, b).store(m)
		v.minus(a, b).store(m.Offset(cell))
	}
	ADDQ(I32(2*cell), at)
	DECQ(blocks)
	JNZ(LabelRef("two" + v.suffix))
	VZEROUPPER()
	RET()
}

func main() {
	which := flag.Int("width", 64, "bytes of a vector")
	v := isa{"AVX512", 64}
	flag.Parse()
	if *which == 32 {
		v = isa{"AVX2", 32}
	}
	ConstraintExpr("!purego")
	v.radixFour()
	v.lastFour()
	v.lastTwo()
	v.take()
	v.put()
	v.takeEvolved()
	v.transposes()
	Generate()
}
