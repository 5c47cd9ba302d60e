// Command asm generates the assembly of package ep: the loop of addGo on eight
// pairs at a time (AVX-512), and on four (AVX2).
package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// Offsets into the struct lanes of the package.
const (
	offFirst  = 0
	offSecond = 64
	offSumX   = 128
	offSumY   = 192
	offPacked = 256
	offRare   = 320
)

// Offsets into the struct constants of the package.
const (
	offInverse = 0
	offValue   = 128
	offQ       = 256 // Q7 .. Q0
	offScalars = 320
)

// The numbers at offScalars, in order.
const (
	cStep = iota
	cExponent
	cThree
	cOne
	cOrigin
	cHigh
	cMinusTwoLn2
	cTwo
	cTiny
	cFiveSixteenths
	cThreeEighths
	cHalf
	cFour
	cOneBit
)

func main() {
	ConstraintExpr("!purego")
	addAVX512()
	addAVX2()
	Generate()
}

func addAVX512() {
	TEXT("addAVX512", NOSPLIT, "func(l, c *float64, n int)")
	l := Mem{Base: Load(Param("l"), GP64())}
	c := Mem{Base: Load(Param("c"), GP64())}
	n := Load(Param("n"), GP64())

	load := func(m Mem) VecVirtual { v := ZMM(); VMOVUPD(m, v); return v }
	scalar := func(i int) VecVirtual {
		v := ZMM()
		VBROADCASTSD(c.Offset(offScalars+8*i), v)
		return v
	}
	first, second := load(l.Offset(offFirst)), load(l.Offset(offSecond))
	sumX, sumY := ZMM(), ZMM()
	VMOVUPD(l.Offset(offSumX), sumX)
	VMOVUPD(l.Offset(offSumY), sumY)
	packed := load(l.Offset(offPacked))
	inverse := [2]VecVirtual{load(c.Offset(offInverse)), load(c.Offset(offInverse + 64))}
	value := [2]VecVirtual{load(c.Offset(offValue)), load(c.Offset(offValue + 64))}
	step, exponent, three := scalar(cStep), scalar(cExponent), scalar(cThree)
	one, two := scalar(cOne), scalar(cTwo)
	origin, high := scalar(cOrigin), scalar(cHigh)
	oneBit := scalar(cOneBit)
	bcast := func(i int) Mem { return c.Offset(offScalars + 8*i) }

	Label("loop")
	// The state becomes the mantissa of a number in [2, 4).
	uniform := func(state VecVirtual) VecVirtual {
		v := ZMM()
		VPSRLQ(U8(12), state, v)
		VPORQ(exponent, v, v)
		VSUBPD(three, v, v)
		VPMULLQ(step, state, state)
		return v
	}
	x, y := uniform(first), uniform(second)
	t, yy := ZMM(), ZMM()
	VMULPD(x, x, t)
	VMULPD(y, y, yy)
	VADDPD(yy, t, t)
	in := K()
	VCMPPD(U8(2), one, t, in) // t <= 1

	// minusTwoLog.
	z, e, m, i := ZMM(), ZMM(), ZMM(), ZMM()
	VPSUBQ(origin, t, z)
	VPSRAQ(U8(52), z, e)
	VCVTQQ2PD(e, e)
	VPANDQ(high, z, m)
	VPSUBQ(m, t, m)
	VPSRLQ(U8(48), z, i)
	r, log := ZMM(), ZMM()
	VMOVAPD(i, r)
	VPERMI2PD(inverse[1], inverse[0], r)
	VMOVAPD(i, log)
	VPERMI2PD(value[1], value[0], log)
	VFMSUB213PD(one, m, r)
	VFMADD231PD_BCST(bcast(cMinusTwoLn2), e, log)
	VFNMADD231PD(two, r, log)
	q := ZMM()
	VBROADCASTSD(c.Offset(offQ), q)
	for k := 1; k < 8; k++ {
		VFMADD213PD_BCST(c.Offset(offQ+8*k), r, q)
	}
	VMULPD(r, r, r)
	VFMADD231PD(q, r, log)

	// f = sqrt(log/t) = log * 1/sqrt(log*t): an estimate s of the inverse root
	// with an error below 2^-14, then d = 1 - p s^2 and
	// 1/sqrt(p) = s (1 + d/2 + 3/8 d^2 + 5/16 d^3).
	p, s, d, w := ZMM(), ZMM(), ZMM(), ZMM()
	VBROADCASTSD(bcast(cTiny), p) // keeps the estimate finite where log is 0
	VFMADD231PD(log, t, p)
	VRSQRT14PD(p, s)
	VMULPD(s, p, d)
	VFNMADD213PD(one, s, d)
	VBROADCASTSD(bcast(cFiveSixteenths), w)
	VFMADD213PD_BCST(bcast(cThreeEighths), d, w)
	VFMADD213PD_BCST(bcast(cHalf), d, w)
	VMULPD(d, w, w)
	VMULPD(s, log, s)
	VFMADD231PD(w, s, s)

	VMULPD(s, x, x)
	VMULPD(s, y, y)
	VADDPD(x, sumX, in, sumX)
	VADDPD(y, sumY, in, sumY)

	// Counts: four fields of 16 bits per lane; more than 4 is rare.
	big, field := ZMM(), ZMM()
	VRANGEPD(U8(11), y, x, big) // the larger magnitude
	VCVTTPD2QQ(big, field)
	VPSLLQ(U8(4), field, field)
	VPSLLVQ(field, oneBit, field)
	VPADDQ(field, packed, in, packed)
	rare := K()
	four := ZMM()
	VBROADCASTSD(bcast(cFour), four)
	VCMPPD(U8(13), four, big, in, rare) // big >= 4
	bits := GP32()
	KMOVB(rare, bits)
	TESTL(bits, bits)
	JNZ(LabelRef("rare"))
	Label("next")
	DECQ(n)
	JNZ(LabelRef("loop"))

	VMOVUPD(first, l.Offset(offFirst))
	VMOVUPD(second, l.Offset(offSecond))
	VMOVUPD(sumX, l.Offset(offSumX))
	VMOVUPD(sumY, l.Offset(offSumY))
	VMOVDQU64(packed, l.Offset(offPacked))
	VZEROUPPER()
	RET()

	Label("rare")
	values := AllocLocal(64)
	VMOVUPD(big, values)
	lane := GP64()
	bin := GP64()
	Label("more")
	XORQ(lane, lane)
	TZCNTL(bits, lane.As32())
	CVTTSD2SQ(values.Idx(lane, 8), bin)
	INCQ(l.Offset(offRare).Idx(bin, 8))
	BLSRL(bits, bits)
	JNZ(LabelRef("more"))
	JMP(LabelRef("next"))
}
