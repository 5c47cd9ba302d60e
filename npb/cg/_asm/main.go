// Command asm generates the assembly of package cg: the sparse product of product.go, which gathers eight
// elements of the vector at a time (AVX-512).
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

const lanes = 8

// product writes the function for columns of size bytes.
func product(name string, size int, column string) {
	TEXT(name, NOSPLIT, "func(out *float64, start *int32, column *"+column+", value, x *float64, rows int)")
	out := Load(Param("out"), GP64())
	start := Load(Param("start"), GP64())
	column64 := Load(Param("column"), GP64())
	value := Load(Param("value"), GP64())
	x := Load(Param("x"), GP64())
	rows := Load(Param("rows"), GP64())

	// gather multiplies the next eight values in mask, and adds to sum.
	all := GP32()
	MOVL(U32(0xff), all)
	k, end, left := GP64(), GP64(), GP64()
	step := func(sum VecVirtual, offset int, partial Register) {
		index := YMM()
		c := Mem{Base: column64, Index: k, Scale: uint8(size), Disp: offset * size}
		if size == 2 {
			VPMOVZXWD(c, index)
		} else {
			VMOVDQU(c, index)
		}
		mask := K()
		v := Mem{Base: value, Index: k, Scale: 8, Disp: offset * 8}
		got := ZMM()
		VXORPD(got, got, got)
		if partial != nil {
			KMOVB(partial.(GPVirtual).As32(), mask)
			// The gather clears its mask, so the product needs another one.
			again := K()
			KMOVB(partial.(GPVirtual).As32(), again)
			VGATHERDPD(Mem{Base: x, Index: index, Scale: 8}, mask, got)
			VFMADD231PD(v, got, again, sum)
			return
		}
		KMOVB(all, mask)
		VGATHERDPD(Mem{Base: x, Index: index, Scale: 8}, mask, got)
		VFMADD231PD(v, got, sum)
	}

	MOVLQSX(Mem{Base: start}, k)
	Label(name + "row")
	sum, sum2 := ZMM(), ZMM()
	VXORPD(sum, sum, sum)
	VXORPD(sum2, sum2, sum2)
	MOVLQSX(Mem{Base: start, Disp: 4}, end)
	MOVQ(end, left)
	SUBQ(k, left)
	SUBQ(U8(2*lanes), left)
	JLT(LabelRef(name + "less"))
	Label(name + "two")
	step(sum, 0, nil)
	step(sum2, lanes, nil)
	ADDQ(U8(2*lanes), k)
	SUBQ(U8(2*lanes), left)
	JGE(LabelRef(name + "two"))
	Label(name + "less")
	ADDQ(U8(2*lanes), left) // 0 to 15 are left
	CMPQ(left, U8(lanes))
	JLT(LabelRef(name + "tail"))
	step(sum, 0, nil)
	ADDQ(U8(lanes), k)
	SUBQ(U8(lanes), left)
	Label(name + "tail")
	TESTQ(left, left)
	JZ(LabelRef(name + "sum"))
	bits := GP64()
	BZHIL(left.As32(), all, bits.As32())
	step(sum2, 0, bits)
	Label(name + "sum")
	MOVQ(end, k)
	VADDPD(sum2, sum, sum)
	half := YMM()
	VEXTRACTF64X4(U8(1), sum, half)
	VADDPD(half, sum.AsY(), half)
	quarter := XMM()
	VEXTRACTF128(U8(1), half, quarter)
	VADDPD(quarter, half.AsX(), quarter)
	high := XMM()
	VUNPCKHPD(quarter, quarter, high)
	VADDSD(high, quarter, quarter)
	VMOVSD(quarter, Mem{Base: out})
	ADDQ(U8(8), out)
	ADDQ(U8(4), start)
	DECQ(rows)
	JNZ(LabelRef(name + "row"))
	VZEROUPPER()
	RET()
}

func main() {
	ConstraintExpr("!purego")
	product("product16AVX512", 2, "uint16")
	product("product32AVX512", 4, "uint32")
	Generate()
}
