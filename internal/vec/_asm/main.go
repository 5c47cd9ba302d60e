// Command _asm generates the AVX2 kernels of package vec:
//
//	go run . -out ../kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// An op combines b, from inout, and a, from in, into b.
type op func(a, b reg.VecVirtual)

const (
	vectorBytes = 32
	unordered   = 3 // predicate of VCMPP
)

func main() {
	ConstraintExpr("amd64,!purego,!race")

	kernel("sumFloat64", "float64", 8, func(a, b reg.VecVirtual) { VADDPD(a, b, b) })
	kernel("minFloat64", "float64", 8, floatMin(VMINPD, VORPD))
	kernel("maxFloat64", "float64", 8, floatMax(VMAXPD, VANDPD, VORPD, VCMPPD))
	kernel("sumFloat32", "float32", 4, func(a, b reg.VecVirtual) { VADDPS(a, b, b) })
	kernel("minFloat32", "float32", 4, floatMin(VMINPS, VORPS))
	kernel("maxFloat32", "float32", 4, floatMax(VMAXPS, VANDPS, VORPS, VCMPPS))
	kernel("sumInt64", "int64", 8, func(a, b reg.VecVirtual) { VPADDQ(a, b, b) })
	kernel("minInt64", "int64", 8, func(a, b reg.VecVirtual) {
		more := YMM()
		VPCMPGTQ(a, b, more) // b > a
		VBLENDVPD(more, a, b, b)
	})
	kernel("maxInt64", "int64", 8, func(a, b reg.VecVirtual) {
		less := YMM()
		VPCMPGTQ(b, a, less) // a > b
		VBLENDVPD(less, a, b, b)
	})
	kernel("sumInt32", "int32", 4, func(a, b reg.VecVirtual) { VPADDD(a, b, b) })
	kernel("minInt32", "int32", 4, func(a, b reg.VecVirtual) { VPMINSD(a, b, b) })
	kernel("maxInt32", "int32", 4, func(a, b reg.VecVirtual) { VPMAXSD(a, b, b) })
	move()
	Generate()
}

type instruction func(...Op)

// floatMin: where the instruction cannot tell, it returns its second source.
// Doing it both ways and joining the bits gives -0 for zeros of both signs,
// and keeps a NaN of either side a NaN.
func floatMin(minimum, or instruction) op {
	return func(a, b reg.VecVirtual) {
		other := YMM()
		minimum(b, a, other)
		minimum(a, b, b)
		or(other, b, b)
	}
}

// floatMax: the same with the bits common to both ways gives +0; what does not
// compare becomes a NaN of all ones.
func floatMax(maximum, and, or, compare instruction) op {
	return func(a, b reg.VecVirtual) {
		other, nan := YMM(), YMM()
		compare(Imm(unordered), a, b, nan)
		maximum(b, a, other)
		maximum(a, b, b)
		and(other, b, b)
		or(nan, b, b)
	}
}

// kernel emits func name(in, inout []elem), four vectors at a time.
func kernel(name, elem string, size int, combine op) {
	const unroll = 4
	TEXT(name, NOSPLIT, "func(in, inout []"+elem+")")
	in := Load(Param("in").Base(), GP64())
	inout := Load(Param("inout").Base(), GP64())
	n := Load(Param("inout").Len(), GP64())

	Label("loop")
	CMPQ(n, Imm(uint64(unroll*vectorBytes/size)))
	JLT(LabelRef("done"))
	var a, b [unroll]reg.VecVirtual
	for i := range unroll {
		a[i], b[i] = YMM(), YMM()
		VMOVUPD(Mem{Base: in, Disp: i * vectorBytes}, a[i])
		VMOVUPD(Mem{Base: inout, Disp: i * vectorBytes}, b[i])
	}
	for i := range unroll {
		combine(a[i], b[i])
	}
	for i := range unroll {
		VMOVUPD(b[i], Mem{Base: inout, Disp: i * vectorBytes})
	}
	ADDQ(Imm(unroll*vectorBytes), in)
	ADDQ(Imm(unroll*vectorBytes), inout)
	SUBQ(Imm(uint64(unroll*vectorBytes/size)), n)
	JMP(LabelRef("loop"))

	Label("done")
	VZEROUPPER()
	RET()
}

// move emits func move(dst, src *byte, n int) for n of at least a block. Its register
// at is the distance from the last block, which may overlap the one before.
func move() {
	const vectors = 16
	const block = vectors * vectorBytes
	TEXT("move", NOSPLIT, "func(dst, src *byte, n int)")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	at := GP64()
	MOVQ(U32(block), at)
	SUBQ(n, at)
	LEAQ(Mem{Base: dst, Index: n, Scale: 1, Disp: -block}, dst)
	LEAQ(Mem{Base: src, Index: n, Scale: 1, Disp: -block}, src)

	Label("block")
	var v [vectors]reg.VecVirtual
	for i := range vectors {
		v[i] = YMM()
		VMOVDQU(Mem{Base: src, Index: at, Scale: 1, Disp: i * vectorBytes}, v[i])
	}
	for i := range vectors {
		VMOVDQU(v[i], Mem{Base: dst, Index: at, Scale: 1, Disp: i * vectorBytes})
	}
	ADDQ(U32(block), at)
	JLT(LabelRef("block"))
	CMPQ(at, U32(block))
	JEQ(LabelRef("done"))
	XORQ(at, at)
	JMP(LabelRef("block"))

	Label("done")
	VZEROUPPER()
	RET()
}
