package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// Fields of transposeArgs, in bytes.
const (
	trField   = 0
	trScratch = 24
	trAt      = 48
	trRow     = 56
	trComp    = 64
	trComps   = 72
	trCount   = 80
	trValid   = 88
	trWidth   = 96
)

// Registers of the transpose kernels.
var (
	trF, trS       = reg.RDI, reg.RSI // field and scratch, at the present block of columns
	trRow1, trRow3 = reg.R8, reg.R9
	trRow5, trRow7 = reg.R10, reg.R11
	trColumn       = reg.RDX // bytes of the scratch from one column to the next
	trLeft         = reg.RBX // columns
	trFm, trSm     = reg.RCX, reg.R14
	trM            = reg.R15 // components left
	trT            = reg.R12
	trV            = reg.R13
)

// gatherKernel writes the transpose from rows to lanes, and scatterKernel the inverse. Square blocks, as
// wide as the number of lanes, are transposed in registers.
func gatherKernel(ctx *build.Context, lanes int) {
	transposeKernel(ctx, lanes, "gather", func(k *kernel, half int) {
		for l := range lanes {
			ctx.VMOVUPD(rowAt(half+l), k.vec(l))
		}
		// The next eight rows will be needed soon.
		ctx.LEAQ(operand.Mem{Base: trFm, Index: trRow1, Scale: 8}, trT)
		for l := range lanes {
			m := rowAt(half + l)
			m.Base = trT
			ctx.PREFETCHT1(m)
		}
		k.transpose()
		ctx.LEAQ(operand.Mem{Base: trSm, Disp: 8 * half}, trT)
		for c := range lanes {
			ctx.VMOVUPD(k.vec(c), operand.Mem{Base: trT})
			ctx.ADDQ(trColumn, trT)
		}
	})
}

func scatterKernel(ctx *build.Context, lanes int) {
	transposeKernel(ctx, lanes, "scatter", func(k *kernel, half int) {
		ctx.LEAQ(operand.Mem{Base: trSm, Disp: 8 * half}, trT)
		for c := range lanes {
			ctx.VMOVUPD(operand.Mem{Base: trT}, k.vec(c))
			ctx.ADDQ(trColumn, trT)
		}
		k.transpose()
		done := fmt.Sprintf("stored%d", half)
		for l := range lanes {
			ctx.CMPQ(trV, operand.Imm(uint64(half+l)))
			ctx.JLE(operand.LabelRef(done))
			if lanes == 8 {
				ctx.VMOVUPD(k.vec(l), reg.K1, rowAt(half+l))
			} else {
				ctx.VMASKMOVPD(k.vec(l), reg.Y15, rowAt(half+l))
			}
		}
		ctx.Label(done)
	})
}

func transposeKernel(ctx *build.Context, lanes int, name string, block func(k *kernel, half int)) {
	k := begin(ctx, name, lanes, "does what "+name+"Go does, in blocks of columns; it may write further\n// columns of a scratch, and lanes without a row get arbitrary values.")
	k.element(trField, trAt, trF, reg.RCX)
	ctx.MOVQ(arg(trScratch), trS)
	ctx.MOVQ(arg(trRow), trRow1)
	ctx.LEAQ(operand.Mem{Base: trRow1, Index: trRow1, Scale: 2}, trRow3)
	ctx.LEAQ(operand.Mem{Base: trRow1, Index: trRow1, Scale: 4}, trRow5)
	ctx.LEAQ(operand.Mem{Base: trRow3, Index: trRow1, Scale: 4}, trRow7)
	ctx.MOVQ(arg(trWidth), trColumn)
	ctx.SHLQ(operand.Imm(6), trColumn)
	ctx.MOVQ(arg(trCount), trLeft)
	ctx.MOVQ(arg(trValid), trV)
	ctx.Label(name)
	k.setMask(trLeft, trT, name)
	ctx.MOVQ(trF, trFm)
	ctx.MOVQ(trS, trSm)
	ctx.MOVQ(arg(trComps), trM)
	ctx.Label(name + "_component")
	for half := 0; half < 8; half += lanes {
		block(k, half)
	}
	ctx.ADDQ(arg(trComp), trFm)
	ctx.ADDQ(operand.Imm(64), trSm)
	ctx.DECQ(trM)
	ctx.JNZ(operand.LabelRef(name + "_component"))
	ctx.ADDQ(operand.Imm(uint64(8*lanes)), trF)
	ctx.MOVQ(trColumn, trT)
	ctx.SHLQ(operand.Imm(uint64(map[int]int{4: 2, 8: 3}[lanes])), trT)
	ctx.ADDQ(trT, trS)
	ctx.SUBQ(operand.Imm(uint64(lanes)), trLeft)
	ctx.JG(operand.LabelRef(name))
	k.finish()
}

// rowAt is the block in row l of the current component.
func rowAt(l int) operand.Mem {
	m := operand.Mem{Base: trFm, Index: trRow1, Scale: 1}
	switch l {
	case 0:
		return operand.Mem{Base: trFm}
	case 2, 4:
		m.Scale = uint8(l)
	case 3:
		m.Index = trRow3
	case 5:
		m.Index = trRow5
	case 6:
		m.Index, m.Scale = trRow3, 2
	case 7:
		m.Index = trRow7
	}
	return m
}

// transpose exchanges rows and columns of the block in the first registers.
func (k *kernel) transpose() {
	c := k.ctx
	if k.lanes == 4 {
		for i := range 2 {
			c.VUNPCKLPD(k.vec(2*i+1), k.vec(2*i), k.vec(4+2*i))
			c.VUNPCKHPD(k.vec(2*i+1), k.vec(2*i), k.vec(5+2*i))
		}
		for i := range 2 {
			c.VPERM2F128(operand.Imm(0x20), k.vec(6+i), k.vec(4+i), k.vec(i))
			c.VPERM2F128(operand.Imm(0x31), k.vec(6+i), k.vec(4+i), k.vec(2+i))
		}
		return
	}
	for i := range 4 {
		c.VUNPCKLPD(k.vec(2*i+1), k.vec(2*i), k.vec(8+i))
		c.VUNPCKHPD(k.vec(2*i+1), k.vec(2*i), k.vec(12+i))
	}
	even, odd := operand.Imm(0x88), operand.Imm(0xdd)
	for i := range 2 { // even columns, then odd ones
		t := 8 + 4*i
		c.VSHUFF64X2(even, k.vec(t+1), k.vec(t), k.vec(16))
		c.VSHUFF64X2(odd, k.vec(t+1), k.vec(t), k.vec(17))
		c.VSHUFF64X2(even, k.vec(t+3), k.vec(t+2), k.vec(18))
		c.VSHUFF64X2(odd, k.vec(t+3), k.vec(t+2), k.vec(19))
		c.VSHUFF64X2(even, k.vec(18), k.vec(16), k.vec(i))
		c.VSHUFF64X2(odd, k.vec(18), k.vec(16), k.vec(4+i))
		c.VSHUFF64X2(even, k.vec(19), k.vec(17), k.vec(2+i))
		c.VSHUFF64X2(odd, k.vec(19), k.vec(17), k.vec(6+i))
	}
}
