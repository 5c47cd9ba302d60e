package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets into the struct constants4 of the package: the tables, followed by vectors of one number each.
const offVectors = 256

const (
	vStep = iota
	vStepHigh
	vExponent
	vThree
	vOne
	vShift
	vHigh
	vIndex
	vMagic
	vMagicBias
	vMinusTwoLn2
	vTwo
	vMagnitude
	vFour
	vOneBit
	vQ // Q7 .. Q0
)

func addAVX2() {
	TEXT("addAVX2", NOSPLIT, "func(l, c *float64, n int)")
	l := Mem{Base: Load(Param("l"), GP64())}
	base := Load(Param("c"), GP64())
	n := Load(Param("n"), GP64())
	inverse, value := Mem{Base: base}, Mem{Base: base, Disp: 128}
	c := func(i int) Mem { return Mem{Base: base, Disp: offVectors + 32*i} }
	load := func(m Mem) VecVirtual { v := YMM(); VMOVUPD(m, v); return v }

	first, second := load(l.Offset(offFirst)), load(l.Offset(offSecond))
	sumX, sumY := load(l.Offset(offSumX)), load(l.Offset(offSumY))
	packed := load(l.Offset(offPacked))

	Label("loop4")
	// The state becomes the mantissa of a number in [2, 4); the step is a product modulo 2^64, composed
	// from halves.
	uniform := func(state VecVirtual) VecVirtual {
		v, high, cross := YMM(), YMM(), YMM()
		VPSRLQ(U8(12), state, v)
		VPOR(c(vExponent), v, v)
		VSUBPD(c(vThree), v, v)
		VPSRLQ(U8(32), state, high)
		VPMULUDQ(c(vStep), high, high)
		VPMULUDQ(c(vStepHigh), state, cross)
		VPADDQ(cross, high, high)
		VPSLLQ(U8(32), high, high)
		VPMULUDQ(c(vStep), state, state)
		VPADDQ(high, state, state)
		return v
	}
	x, y := uniform(first), uniform(second)
	t, yy, in := YMM(), YMM(), YMM()
	VMULPD(x, x, t)
	VMULPD(y, y, yy)
	VADDPD(yy, t, t)
	VCMPPD(U8(2), c(vOne), t, in)

	// minusTwoLog, with exponents biased by 1023 to keep them positive.
	z, e, m := YMM(), YMM(), YMM()
	VPADDQ(c(vShift), t, z)
	VPAND(c(vHigh), z, m)
	VPSUBQ(m, t, m)
	VPADDQ(c(vOne), m, m)
	VPSRLQ(U8(52), z, e)
	VPOR(c(vMagic), e, e)
	VSUBPD(c(vMagicBias), e, e)
	VPSRLQ(U8(48), z, z)
	VPAND(c(vIndex), z, z)
	gather := func(table Mem) VecVirtual {
		v, all := YMM(), YMM()
		VPCMPEQD(all, all, all)
		VXORPD(v, v, v)
		VGATHERQPD(all, Mem{Base: table.Base, Disp: table.Disp, Index: z, Scale: 8}, v)
		return v
	}
	r, log := gather(inverse), gather(value)
	VFMSUB213PD(c(vOne), m, r)
	VFMADD231PD(c(vMinusTwoLn2), e, log)
	VFNMADD231PD(c(vTwo), r, log)
	q := load(c(vQ))
	for k := 1; k < 8; k++ {
		VFMADD213PD(c(vQ+k), r, q)
	}
	VMULPD(r, r, r)
	VFMADD231PD(q, r, log)

	VDIVPD(t, log, log)
	VSQRTPD(log, log)
	VANDPD(in, log, log) // pairs outside contribute nothing
	VMULPD(log, x, x)
	VMULPD(log, y, y)
	VADDPD(x, sumX, sumX)
	VADDPD(y, sumY, sumY)

	VANDPD(c(vMagnitude), x, x)
	VANDPD(c(vMagnitude), y, y)
	big := YMM()
	VMAXPD(x, y, big)
	narrow, field, one := XMM(), YMM(), YMM()
	VCVTTPD2DQY(big, narrow)
	VPMOVZXDQ(narrow, field)
	VPSLLQ(U8(4), field, field)
	VPAND(c(vOneBit), in, one)
	VPSLLVQ(field, one, field)
	VPADDQ(field, packed, packed)
	rare := YMM()
	VCMPPD(U8(13), c(vFour), big, rare)
	bits := GP32()
	VMOVMSKPD(rare, bits)
	TESTL(bits, bits)
	JNZ(LabelRef("rare4"))
	Label("next4")
	DECQ(n)
	JNZ(LabelRef("loop4"))

	VMOVUPD(first, l.Offset(offFirst))
	VMOVUPD(second, l.Offset(offSecond))
	VMOVUPD(sumX, l.Offset(offSumX))
	VMOVUPD(sumY, l.Offset(offSumY))
	VMOVUPD(packed, l.Offset(offPacked))
	VZEROUPPER()
	RET()

	Label("rare4")
	values := AllocLocal(32)
	VMOVUPD(big, values)
	lane, bin := GP64(), GP64()
	Label("more4")
	XORQ(lane, lane)
	TZCNTL(bits, lane.As32())
	CVTTSD2SQ(values.Idx(lane, 8), bin)
	INCQ(l.Offset(offRare).Idx(bin, 8))
	BLSRL(bits, bits)
	JNZ(LabelRef("more4"))
	JMP(LabelRef("next4"))
}
