// Command _asm generates the AVX2 kernels of package vec:
//
//	go run . -out ../kernels_amd64.s
package main

import (
	. "github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/ir"
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
	moveLines()
	movePast()
	moveBlocks()
	demote()
	Generate()
}

type instruction func(...Op)

// floatMin: where the instruction cannot tell, it returns its second source. Both orders of operands,
// joined by or, give -0 for zeros of both signs and keep a NaN of either side a NaN.
func floatMin(minimum, or instruction) op {
	return func(a, b reg.VecVirtual) {
		other := YMM()
		minimum(b, a, other)
		minimum(a, b, b)
		or(other, b, b)
	}
}

// floatMax does the same with and, which gives +0; operands that do not compare give a NaN of all ones.
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

// move emits func move(dst, src *byte, n int) for n of at least a block. It copies the first line
// unaligned, then blocks that begin on a line of dst, and the last block unaligned again; each may overlap
// the one before.
//
// The loop prefetches the lines of dst ahead for write: a copy from one program to another writes lines
// that the other core has, and if it meets them as stores, a core waits for hardly more than one at a time.
// It prefetches no line that it does not write, because the other core may be writing that line.
func move() {
	const (
		line  = 64
		block = 4 * line
		ahead = 2 * block
		long  = 6144 // shorter packets find their lines already prefetched, and gain nothing
	)
	TEXT("move", NOSPLIT, "func(dst, src *byte, n int)")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	end := Load(Param("n"), GP64()) // where the last block begins
	SUBQ(U32(block), end)
	at, limit := GP64(), GP64()

	some := func(bytes int) { // copies that many bytes from at on
		vectors(Mem{Base: dst, Index: at, Scale: 1}, Mem{Base: src, Index: at, Scale: 1}, bytes)
	}
	XORQ(at, at)
	CMPQ(end, U32(long-block))
	JLT(LabelRef("near"))
	some(line)
	SUBQ(dst, at)
	ANDQ(Imm(line-1), at)
	LEAQ(Mem{Base: end, Disp: -ahead}, limit)
	CMPQ(at, limit)
	JGE(LabelRef("near"))
	LEAQ(Mem{Base: dst, Index: at, Scale: 1, Disp: 2 * line}, reg.RDI)
	for range ahead / block {
		prefetchBlock()
	}
	Label("far")
	prefetchBlock()
	some(block)
	ADDQ(U32(block), at)
	CMPQ(at, limit)
	JLT(LabelRef("far"))

	Label("near")
	CMPQ(at, end)
	JGE(LabelRef("last"))
	some(block)
	ADDQ(U32(block), at)
	JMP(LabelRef("near"))

	Label("last")
	MOVQ(end, at)
	some(block)
	VZEROUPPER()
	RET()
}

// moveLines emits func moveLines(dst, src *byte, n int) for n of at least a line. It copies the first line
// unaligned, then whole lines that begin on a line of dst as a string, and the last line unaligned again; each
// may overlap the one before.
func moveLines() {
	const line = 64
	TEXT("moveLines", NOSPLIT, "func(dst, src *byte, n int)")
	Load(Param("dst"), reg.RDI)
	Load(Param("src"), reg.RSI)
	Load(Param("n"), reg.RCX)
	vectors(Mem{Base: reg.RDI}, Mem{Base: reg.RSI}, line)
	lastFrom, lastTo := GP64(), GP64()
	LEAQ(Mem{Base: reg.RSI, Index: reg.RCX, Scale: 1, Disp: -line}, lastFrom)
	LEAQ(Mem{Base: reg.RDI, Index: reg.RCX, Scale: 1, Disp: -line}, lastTo)
	skip := GP64()
	XORQ(skip, skip)
	SUBQ(reg.RDI, skip)
	ANDQ(Imm(line-1), skip)
	ADDQ(skip, reg.RDI)
	ADDQ(skip, reg.RSI)
	SUBQ(skip, reg.RCX)
	ANDQ(I8(-line), reg.RCX)
	for _, b := range []uint8{0xf3, 0xa4} { // REP MOVSB
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)},
			Inputs: []Op{reg.RDI, reg.RSI, reg.RCX}, Outputs: []Op{reg.RDI, reg.RSI, reg.RCX}})
	}
	vectors(Mem{Base: lastTo}, Mem{Base: lastFrom}, line)
	VZEROUPPER()
	RET()
}

// movePast emits func movePast(dst, src *byte, n int) for n of at least a line. It copies the first and the last
// line unaligned, unless they are whole lines of dst, and between them lines of dst by stores that go past the
// caches; a fence ends these, because they have no order among all others.
func movePast() {
	const (
		line = 64
		half = line / 2
	)
	TEXT("movePast", NOSPLIT, "func(dst, src *byte, n int)")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	n := Load(Param("n"), GP64())
	a, b := YMM(), YMM()
	skip, rest := GP64(), GP64()
	XORQ(skip, skip)
	SUBQ(dst, skip)
	ANDQ(Imm(line-1), skip)
	JE(LabelRef("whole"))
	vectors(Mem{Base: dst}, Mem{Base: src}, line)
	ADDQ(skip, dst)
	ADDQ(skip, src)
	SUBQ(skip, n)
	Label("whole")
	MOVQ(n, rest)
	ANDQ(Imm(line-1), rest)
	SUBQ(rest, n)
	JE(LabelRef("last"))
	Label("line")
	VMOVDQU(Mem{Base: src}, a)
	VMOVDQU(Mem{Base: src, Disp: half}, b)
	VMOVNTDQ(a, Mem{Base: dst})
	VMOVNTDQ(b, Mem{Base: dst, Disp: half})
	ADDQ(Imm(line), src)
	ADDQ(Imm(line), dst)
	SUBQ(Imm(line), n)
	JNE(LabelRef("line"))
	Label("last")
	SFENCE()
	TESTQ(rest, rest)
	JE(LabelRef("done"))
	vectors(Mem{Base: dst, Index: rest, Scale: 1, Disp: -line}, Mem{Base: src, Index: rest, Scale: 1, Disp: -line}, line)
	Label("done")
	VZEROUPPER()
	RET()
}

// moveBlocks emits func moveBlocks(dst, src *byte, dstep, sstep, size, count int) for count blocks of size bytes, at
// least a vector each, whose beginnings are dstep and sstep apart. The last vector of a block is copied unaligned
// and may overlap the one before.
func moveBlocks() {
	const most = 4 * vectorBytes
	TEXT("moveBlocks", NOSPLIT, "func(dst, src *byte, dstep, sstep, size, count int)")
	dst := Load(Param("dst"), GP64())
	src := Load(Param("src"), GP64())
	dstep := Load(Param("dstep"), GP64())
	sstep := Load(Param("sstep"), GP64())
	size := Load(Param("size"), GP64())
	count := Load(Param("count"), GP64())
	to, from, left := GP64(), GP64(), GP64()
	some := func(bytes int) { // copies that many bytes, and goes on behind them
		vectors(Mem{Base: to}, Mem{Base: from}, bytes)
		ADDQ(U32(bytes), from)
		ADDQ(U32(bytes), to)
		SUBQ(U32(bytes), left)
	}
	Label("block")
	MOVQ(dst, to)
	MOVQ(src, from)
	MOVQ(size, left)
	CMPQ(left, U32(most))
	JLT(LabelRef("less"))
	Label("most")
	some(most)
	CMPQ(left, U32(most))
	JGE(LabelRef("most"))
	Label("less")
	CMPQ(left, Imm(vectorBytes))
	JLE(LabelRef("end"))
	some(vectorBytes)
	JMP(LabelRef("less"))
	Label("end")
	TESTQ(left, left)
	JE(LabelRef("next"))
	vectors(Mem{Base: to, Index: left, Scale: 1, Disp: -vectorBytes}, Mem{Base: from, Index: left, Scale: 1, Disp: -vectorBytes}, vectorBytes)
	Label("next")
	ADDQ(dstep, dst)
	ADDQ(sstep, src)
	DECQ(count)
	JNE(LabelRef("block"))
	VZEROUPPER()
	RET()
}

// vectors copies so many bytes, a multiple of a vector, by unaligned vectors; all are loaded before any is stored.
func vectors(to, from Mem, bytes int) {
	v := make([]reg.VecVirtual, bytes/vectorBytes)
	for i := range v {
		v[i] = YMM()
		VMOVDQU(from.Offset(i*vectorBytes), v[i])
	}
	for i := range v {
		VMOVDQU(v[i], to.Offset(i*vectorBytes))
	}
}

// prefetchBlock prefetches for write the four lines of which DI points at the third, and advances DI by as
// much. The assembler does not know the instruction, PREFETCHW of d(DI); older processors ignore it.
func prefetchBlock() {
	for _, d := range []uint8{0x80, 0xc0, 0, 0x40} { // -128, -64, 0, 64
		for _, b := range []uint8{0x0f, 0x0d, 0x4f, d} {
			Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)}, Inputs: []Op{reg.RDI}})
		}
	}
	ADDQ(U32(256), reg.RDI)
}

// demote emits func demote(p *byte, n int). The assembler does not know the instruction, CLDEMOTE of (DI).
func demote() {
	const line = 64
	TEXT("demote", NOSPLIT, "func(p *byte, n int)")
	Load(Param("p"), reg.RDI)
	end := Load(Param("n"), GP64())
	ADDQ(reg.RDI, end)
	ANDQ(I8(-line), reg.RDI)
	Label("line")
	for _, b := range []uint8{0x0f, 0x1c, 0x07} {
		Instruction(&ir.Instruction{Opcode: "BYTE", Operands: []Op{U8(b)}, Inputs: []Op{reg.RDI}})
	}
	ADDQ(Imm(line), reg.RDI)
	CMPQ(reg.RDI, end)
	JLT(LabelRef("line"))
	RET()
}
