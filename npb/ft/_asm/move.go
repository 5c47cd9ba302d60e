package main

import (
	. "github.com/mmcloughlin/avo/build"
	. "github.com/mmcloughlin/avo/operand"
	. "github.com/mmcloughlin/avo/reg"
)

// copyCell copies one cell.
func (v isa) copyCell(to, from Mem) {
	for o := 0; o < cell; o += v.width {
		VMOVUPD(v.load(from.Offset(o)), to.Offset(o))
	}
}

// Strides and positions are in bytes here.

func (v isa) take() {
	TEXT("take"+v.suffix, NOSPLIT, "func(work *float64, n int, from *float64, stride, ahead int)")
	to := Load(Param("work"), GP64())
	n := Load(Param("n"), GP64())
	from := Load(Param("from"), GP64())
	stride := Load(Param("stride"), GP64())
	ahead := Load(Param("ahead"), GP64())
	Label("take" + v.suffix)
	PREFETCHT0(Mem{Base: from, Index: ahead, Scale: 1})
	PREFETCHT0(Mem{Base: from, Index: ahead, Scale: 1, Disp: 64})
	v.copyCell(Mem{Base: to}, Mem{Base: from})
	SUBQ(I8(-cell), to)
	ADDQ(stride, from)
	DECQ(n)
	JNZ(LabelRef("take" + v.suffix))
	VZEROUPPER()
	RET()
}

func (v isa) put() {
	TEXT("put"+v.suffix, NOSPLIT, "func(to *float64, stride int, work *float64, place *int32, n, ahead int)")
	to := Load(Param("to"), GP64())
	stride := Load(Param("stride"), GP64())
	work := Load(Param("work"), GP64())
	place := Load(Param("place"), GP64())
	n := Load(Param("n"), GP64())
	ahead := Load(Param("ahead"), GP64())
	p := GP64()
	Label("put" + v.suffix)
	MOVLQSX(Mem{Base: place}, p)
	SHLQ(U8(7), p)
	PREFETCHT0(Mem{Base: to, Index: ahead, Scale: 1})
	PREFETCHT0(Mem{Base: to, Index: ahead, Scale: 1, Disp: 64})
	v.copyCell(Mem{Base: to}, Mem{Base: work, Index: p, Scale: 1})
	ADDQ(U8(4), place)
	ADDQ(stride, to)
	DECQ(n)
	JNZ(LabelRef("put" + v.suffix))
	VZEROUPPER()
	RET()
}

func (v isa) takeEvolved() {
	TEXT("takeEvolved"+v.suffix, NOSPLIT, "func(work, from *float64, stride int, ex *float64, scale float64, ez *float64, n, ahead int)")
	to := Load(Param("work"), GP64())
	from := Load(Param("from"), GP64())
	stride := Load(Param("stride"), GP64())
	exAt := Load(Param("ex"), GP64())
	ez := Load(Param("ez"), GP64())
	n := Load(Param("n"), GP64())
	ahead := Load(Param("ahead"), GP64())
	scale := v.vec()
	s := XMM()
	Load(Param("scale"), s)
	VBROADCASTSD(s, scale)
	var ex []VecVirtual
	for o := 0; o < imaginary; o += v.width {
		ex = append(ex, v.mul(v.load(Mem{Base: exAt, Disp: o}), scale))
	}
	Label("evolved" + v.suffix)
	PREFETCHT0(Mem{Base: from, Index: ahead, Scale: 1})
	PREFETCHT0(Mem{Base: from, Index: ahead, Scale: 1, Disp: 64})
	z := v.spread(Mem{Base: ez})
	for i, x := range ex {
		m, w := Mem{Base: from, Disp: i * v.width}, Mem{Base: to, Disp: i * v.width}
		f := v.mul(x, z)
		c := v.loadCell(m)
		VMULPD(f, c.re, c.re)
		VMULPD(f, c.im, c.im)
		c.store(m)
		complex{c.im, c.re}.store(w)
	}
	SUBQ(I8(-cell), to)
	ADDQ(U8(8), ez)
	ADDQ(stride, from)
	DECQ(n)
	JNZ(LabelRef("evolved" + v.suffix))
	VZEROUPPER()
	RET()
}

// transposes are the copies between cells of x and cells of y, by square blocks with as many rows as a
// vector has numbers.
func (v isa) transposes() {
	v.takeTransposed()
	v.putTransposed()
}

func (v isa) takeTransposed() {
	TEXT("takeTransposed"+v.suffix, NOSPLIT, "func(work *float64, cells int, from *float64, stride int)")
	to := Load(Param("work"), GP64())
	n := Load(Param("cells"), GP64())
	from := Load(Param("from"), GP64())
	stride := Load(Param("stride"), GP64())
	side := v.width / 8
	row := GP64()
	Label("taketr" + v.suffix)
	for part := 0; part < cell; part += imaginary {
		for y := 0; y < 8; y += side {
			MOVQ(from, row)
			skip(row, stride, y)
			for x := 0; x < 8; x += side {
				r := rowsAt(row, stride, part+8*x, side)
				for i, c := range v.square(v.loadAll(r)) {
					VMOVUPD(c, Mem{Base: to, Disp: (x+i)*cell + part + 8*y})
				}
			}
		}
	}
	ADDQ(I32(8*cell), to)
	SUBQ(I8(-cell), from)
	DECQ(n)
	JNZ(LabelRef("taketr" + v.suffix))
	VZEROUPPER()
	RET()
}

func (v isa) putTransposed() {
	TEXT("putTransposed"+v.suffix, NOSPLIT, "func(to *float64, stride int, work *float64, place *int32, cells int)")
	to := Load(Param("to"), GP64())
	stride := Load(Param("stride"), GP64())
	work := Load(Param("work"), GP64())
	place := Load(Param("place"), GP64())
	n := Load(Param("cells"), GP64())
	side := v.width / 8
	row, p := GP64(), GP64()
	Label("puttr" + v.suffix)
	for part := 0; part < cell; part += imaginary {
		for x := 0; x < 8; x += side {
			for y := 0; y < 8; y += side {
				var in []VecVirtual
				for i := range side {
					MOVLQSX(Mem{Base: place, Disp: 4 * (x + i)}, p)
					SHLQ(U8(7), p)
					in = append(in, v.load(Mem{Base: work, Index: p, Scale: 1, Disp: part + 8*y}))
				}
				MOVQ(to, row)
				skip(row, stride, y)
				for i, c := range v.square(in) {
					VMOVUPD(c, Mem{Base: row, Disp: part + 8*x})
					if i < side-1 {
						ADDQ(stride, row)
					}
				}
			}
		}
	}
	ADDQ(U8(32), place)
	SUBQ(I8(-cell), to)
	DECQ(n)
	JNZ(LabelRef("puttr" + v.suffix))
	VZEROUPPER()
	RET()
}

// skip advances row by n strides.
func skip(row, stride Register, n int) {
	for ; n >= 4; n -= 4 {
		LEAQ(Mem{Base: row, Index: stride, Scale: 4}, row)
	}
}

// rowsAt returns the addresses of n consecutive rows; row is not changed.
func rowsAt(row, stride Register, disp, n int) []Mem {
	at := GP64()
	MOVQ(row, at)
	three := GP64()
	LEAQ(Mem{Base: stride, Index: stride, Scale: 2}, three)
	m := []Mem{
		{Base: at, Disp: disp}, {Base: at, Index: stride, Scale: 1, Disp: disp},
		{Base: at, Index: stride, Scale: 2, Disp: disp}, {Base: at, Index: three, Scale: 1, Disp: disp},
	}
	if n == 8 {
		next := GP64()
		LEAQ(Mem{Base: row, Index: stride, Scale: 4}, next)
		for _, x := range m[:4:4] {
			x.Base = next
			m = append(m, x)
		}
	}
	return m
}

func (v isa) loadAll(ms []Mem) (r []VecVirtual) {
	for _, m := range ms {
		r = append(r, v.load(m))
	}
	return r
}

// square transposes a square block held in registers.
func (v isa) square(in []VecVirtual) []VecVirtual {
	n := len(in)
	out := make([]VecVirtual, n)
	// Pairs within 128 bits.
	for i := 0; i < n; i += 2 {
		out[i], out[i+1] = v.vec(), v.vec()
		VUNPCKLPD(in[i+1], in[i], out[i])
		VUNPCKHPD(in[i+1], in[i], out[i+1])
	}
	if n == 4 {
		r := []VecVirtual{v.vec(), v.vec(), v.vec(), v.vec()}
		VPERM2F128(U8(0x20), out[2], out[0], r[0])
		VPERM2F128(U8(0x20), out[3], out[1], r[1])
		VPERM2F128(U8(0x31), out[2], out[0], r[2])
		VPERM2F128(U8(0x31), out[3], out[1], r[3])
		return r
	}
	// out[2i+b] holds, in its four 128-bit parts k, column 2k+b of rows 2i, 2i+1.
	shuffle := func(a, b VecVirtual, imm uint8) VecVirtual {
		r := v.vec()
		VSHUFF64X2(U8(imm), b, a, r)
		return r
	}
	r := make([]VecVirtual, n)
	for b := range 2 {
		lo01, hi01 := shuffle(out[b], out[2+b], 0x44), shuffle(out[b], out[2+b], 0xee)
		lo23, hi23 := shuffle(out[4+b], out[6+b], 0x44), shuffle(out[4+b], out[6+b], 0xee)
		r[0+b], r[2+b] = shuffle(lo01, lo23, 0x88), shuffle(lo01, lo23, 0xdd)
		r[4+b], r[6+b] = shuffle(hi01, hi23, 0x88), shuffle(hi01, hi23, 0xdd)
	}
	return r
}
