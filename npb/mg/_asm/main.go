// Command asm generates the assembly of package mg: the loops of stencil.go and transfer.go over one plane,
// for vectors of 8 numbers (AVX-512) and of 4 (AVX2). Strides are in bytes. A row of interior points is a
// whole number of vectors and begins at a cache line, so the ghost before it is the last number of the
// preceding vector, and the ghost after it the first of the following one.
package main

import (
	"flag"

	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
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

func (v isa) load(m Mem) VecVirtual          { r := v.vec(); VMOVUPD(m, r); return r }
func (v isa) spread(m Mem) VecVirtual        { r := v.vec(); VBROADCASTSD(m, r); return r }
func (v isa) add(a, b VecVirtual) VecVirtual { r := v.vec(); VADDPD(b, a, r); return r }
func (v isa) mul(a, b VecVirtual) VecVirtual { r := v.vec(); VMULPD(b, a, r); return r }

// plus adds a value from memory.
func (v isa) plus(a VecVirtual, m Mem) VecVirtual { r := v.vec(); VADDPD(m, a, r); return r }

// zero returns a vector of zeros.
func (v isa) zero() VecVirtual { r := v.vec(); VXORPD(r, r, r); return r }

// left returns the left neighbours of the numbers in cur; prev contains the numbers before them.
func (v isa) left(prev, cur VecVirtual) VecVirtual {
	r := v.vec()
	if v.width == 64 {
		VALIGNQ(U8(7), prev, cur, r)
		return r
	}
	VPERM2F128(U8(0x21), cur, prev, r)
	VSHUFPD(U8(0b0101), cur, r, r)
	return r
}

// right returns the right neighbours of the numbers in cur; next contains the numbers after them.
func (v isa) right(cur, next VecVirtual) VecVirtual {
	r := v.vec()
	if v.width == 64 {
		VALIGNQ(U8(1), cur, next, r)
		return r
	}
	VPERM2F128(U8(0x21), next, cur, r)
	VSHUFPD(U8(0b0101), r, cur, r)
	return r
}

// move copies a vector.
func move(from, to VecVirtual) { VMOVAPD(from, to) }

// shape is a row of points and its eight neighbours in the yz plane.
type shape struct {
	v             isa
	at            Register // address of the vector in the middle row
	row, minusRow GPVirtual
	up, down      GPVirtual // the same place in the planes above and below
	plane         Register
}

// newShape takes the strides; call start for each row.
func (v isa) newShape(row, plane Register) *shape {
	s := &shape{v: v, plane: plane, row: GP64(), minusRow: GP64(), up: GP64(), down: GP64()}
	MOVQ(row, s.row)
	XORQ(s.minusRow, s.minusRow)
	SUBQ(row, s.minusRow)
	return s
}

// start sets the addresses for the row at address at.
func (s *shape) start(at Register) {
	s.at = at
	LEAQ(Mem{Base: at, Index: s.plane, Scale: 1}, s.up)
	MOVQ(at, s.down)
	SUBQ(s.plane, s.down)
}

// step advances by one vector.
func (s *shape) step() {
	for _, r := range []Op{s.at, s.up, s.down} {
		ADDQ(Imm(uint64(s.v.width)), r)
	}
}

// faces returns the sum over the four rows that share a face with the middle row, and edges over those that
// share an edge, at an offset of disp bytes.
func (s *shape) faces(disp int) VecVirtual {
	a := s.v.load(Mem{Base: s.at, Index: s.row, Scale: 1, Disp: disp})
	a = s.v.plus(a, Mem{Base: s.at, Index: s.minusRow, Scale: 1, Disp: disp})
	b := s.v.load(Mem{Base: s.up, Disp: disp})
	b = s.v.plus(b, Mem{Base: s.down, Disp: disp})
	return s.v.add(a, b)
}

func (s *shape) edges(disp int) VecVirtual {
	a := s.v.load(Mem{Base: s.up, Index: s.row, Scale: 1, Disp: disp})
	a = s.v.plus(a, Mem{Base: s.up, Index: s.minusRow, Scale: 1, Disp: disp})
	b := s.v.load(Mem{Base: s.down, Index: s.row, Scale: 1, Disp: disp})
	b = s.v.plus(b, Mem{Base: s.down, Index: s.minusRow, Scale: 1, Disp: disp})
	return s.v.add(a, b)
}

func main() {
	which := flag.Int("width", 64, "bytes of a vector")
	flag.Parse()
	v := isa{"AVX512", 64}
	if *which == 32 {
		v = isa{"AVX2", 32}
	}
	ConstraintExpr("!purego")
	v.residual()
	v.smooth()
	v.restrict()
	v.prolong(true)
	v.prolong(false)
	v.norm()
	Generate()
}
