// Command _asm writes the vector kernels of BT, SP and LU: AVX2 and AVX-512 forms
// of the same expressions. Run it in its folder:
//
//	go run .
package main

import (
	"fmt"
	"os"

	"github.com/mmcloughlin/avo/attr"
	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/gotypes"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/pass"
	"github.com/mmcloughlin/avo/printer"
	"github.com/mmcloughlin/avo/reg"
)

func main() {
	files := []struct {
		path string
		make func(*build.Context, int)
	}{
		{"../kernels_%s.s", func(c *build.Context, lanes int) {
			operatorKernel(c, lanes, false)
			operatorKernel(c, lanes, true)
			primitiveKernel(c, lanes, false)
			primitiveKernel(c, lanes, true)
			gatherKernel(c, lanes)
			scatterKernel(c, lanes)
		}},
		{"../../bt/kernels_%s.s", btKernels},
		{"../../sp/kernels_%s.s", spKernels},
		{"../../lu/kernels_%s.s", luKernels},
	}
	for _, f := range files {
		for _, lanes := range []int{4, 8} {
			ctx := build.NewContext()
			ctx.ConstraintExpr("!purego")
			f.make(ctx, lanes)
			path := fmt.Sprintf(f.path, map[int]string{4: "avx2_amd64", 8: "avx512_amd64"}[lanes])
			if err := write(ctx, path); err != nil {
				fmt.Fprintln(os.Stderr, path, err)
				os.Exit(1)
			}
		}
	}
}

func write(ctx *build.Context, path string) error {
	file, err := ctx.Result()
	if err != nil {
		return err
	}
	if err := pass.Compile.Execute(file); err != nil {
		return err
	}
	text, err := printer.NewGoAsm(printer.Config{Name: "_asm", Argv: []string{"go", "run", "."}}).Print(file)
	if err != nil {
		return err
	}
	return os.WriteFile(path, text, 0o644)
}

// suffix is the suffix of the names of functions with that many lanes.
func suffix(lanes int) string {
	if lanes == 8 {
		return "AVX512"
	}
	return "AVX2"
}

// begin starts a function with one argument, a pointer to the arguments of the kernel, and loads it into
// RAX.
func begin(ctx *build.Context, name string, lanes int, doc string) *kernel {
	ctx.Function(name + suffix(lanes))
	ctx.Doc(name + suffix(lanes) + " " + doc)
	ctx.Attributes(attr.NOSPLIT)
	sig, err := gotypes.ParseSignature("func(a *uint8)")
	if err != nil {
		panic(err)
	}
	ctx.Signature(sig)
	ctx.MOVQ(operand.NewParamAddr("a", 0), reg.RAX)
	return &kernel{ctx: ctx, lanes: lanes}
}

// arg is the field of the arguments at a byte offset.
func arg(offset int) operand.Mem { return operand.Mem{Base: reg.RAX, Disp: offset} }

// element sets dst to the address of the element of a slice field, whose index is in
// another field.
func (k *kernel) element(slice, index int, dst, tmp reg.GPPhysical) {
	k.ctx.MOVQ(arg(slice), dst)
	k.ctx.MOVQ(arg(index), tmp)
	k.ctx.LEAQ(operand.Mem{Base: dst, Index: tmp, Scale: 8}, dst)
}

// setMask sets the mask of the first n lanes, all of them if n is large enough.
func (k *kernel) setMask(n, tmp reg.GPPhysical, label string) {
	if k.lanes == 8 {
		full := label + "_full"
		k.ctx.MOVQ(operand.U32(255), tmp)
		k.ctx.CMPQ(n, operand.Imm(8))
		k.ctx.JGE(operand.LabelRef(full))
		k.ctx.BZHIQ(n, tmp, tmp)
		k.ctx.Label(full)
		k.ctx.KMOVW(tmp.(reg.GPPhysical).As32(), reg.K1)
		return
	}
	k.ctx.VMOVQ(n, reg.X15)
	k.ctx.VPBROADCASTQ(reg.X15, reg.Y15)
	k.ctx.VPCMPGTQ(laneNumbers(k.ctx, label), reg.Y15, reg.Y15)
}

// setMaskSkip is setMask without the first lanes; their number is in a field of the arguments, and is
// reduced for the next vector.
func (k *kernel) setMaskSkip(n, tmp, tmp2 reg.GPPhysical, field int, label string) {
	k.setMask(n, tmp, label)
	all := label + "_all"
	k.ctx.MOVQ(arg(field), tmp)
	k.ctx.CMPQ(tmp, operand.Imm(0))
	k.ctx.JLE(operand.LabelRef(all))
	k.ctx.SUBQ(operand.Imm(uint64(k.lanes)), arg(field))
	if k.lanes == 8 {
		k.ctx.MOVQ(operand.U32(255), tmp2)
		k.ctx.SHLXQ(tmp, tmp2, tmp2)
		k.ctx.KMOVW(tmp2.(reg.GPPhysical).As32(), reg.K2)
		k.ctx.KANDW(reg.K1, reg.K2, reg.K1)
	} else {
		k.ctx.VMOVQ(tmp, reg.X14)
		k.ctx.VPBROADCASTQ(reg.X14, reg.Y14)
		k.ctx.VPCMPGTQ(laneNumbers(k.ctx, label+"_skip"), reg.Y14, reg.Y14)
		k.ctx.VPANDN(reg.Y15, reg.Y14, reg.Y15)
	}
	k.ctx.Label(all)
}

// laneNumbers is the constant 0, 1, 2, 3.
func laneNumbers(ctx *build.Context, label string) operand.Mem {
	m := ctx.StaticGlobal("lanes_" + label)
	ctx.DataAttributes(attr.RODATA | attr.NOPTR)
	for i := range 4 {
		ctx.AppendDatum(operand.U64(i))
	}
	return m
}

// finish ends the function.
func (k *kernel) finish() {
	k.ctx.VZEROUPPER()
	k.ctx.RET()
	k.ctx.Comment(k.String())
}
