package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/build"
	"github.com/mmcloughlin/avo/operand"
	"github.com/mmcloughlin/avo/reg"
)

// A kernel is one assembly function: a loop whose body is straight-line code on vectors. The body is given
// as expressions; the kernel chooses registers, spills and operand forms.
type kernel struct {
	ctx   *build.Context
	lanes int // of a vector: 4 or 8
	spill int // bytes from the constants to the room for spills
	nodes []*node
	known map[int]*node // constants

	regs  []*node   // value in each vector register
	slots int       // spill slots in use so far
	temps []tempReg // general registers that hold entries of the offset table
	clock int

	consts  reg.GPPhysical // base of the constants
	offsets reg.GPPhysical // base of the offset table
}

type tempReg struct {
	reg  reg.GPPhysical
	slot int // -1: empty
	used int
}

// A mem is a memory operand.
type mem struct {
	base  reg.GPPhysical
	index reg.GPPhysical // or nil
	scale int
	slot  int // entry of the offset table to add, or -1
	disp  int
}

func at(base reg.GPPhysical, disp int) mem { return mem{base: base, slot: -1, disp: disp} }

func indexed(base, index reg.GPPhysical, scale, disp int) mem {
	return mem{base: base, index: index, scale: scale, slot: -1, disp: disp}
}

func slotted(base reg.GPPhysical, slot int) mem { return mem{base: base, slot: slot} }

type op int

const (
	opLoad op = iota
	opBroadcast
	opAdd
	opSub
	opMul
	opDiv
	opSqrt
	opFma  // a*b + c
	opFnma // c - a*b
	opFms  // a*b - c
	opStore
	opStoreMasked
)

// A node is a value, or a store.
type node struct {
	op   op
	args []*node
	mem  mem
	uses []int // positions of the instructions that use it, in order
	reg  int   // -1: in no register
	slot int   // spill slot, -1: none
}

func (k *kernel) add(n *node) *node {
	n.reg, n.slot = -1, -1
	k.nodes = append(k.nodes, n)
	return n
}

func (k *kernel) load(m mem) *node      { return k.add(&node{op: opLoad, mem: m}) }
func (k *kernel) broadcast(m mem) *node { return k.add(&node{op: opBroadcast, mem: m}) }

// con is lane constant i.
func (k *kernel) con(i int) *node {
	if k.known == nil {
		k.known = map[int]*node{}
	}
	if k.known[i] == nil {
		k.known[i] = k.load(at(k.consts, i*64))
	}
	return k.known[i]
}

// Arithmetic; nil stands for zero.

func (k *kernel) plus(a, b *node) *node {
	if a == nil {
		return b
	}
	if b == nil {
		return a
	}
	return k.add(&node{op: opAdd, args: []*node{a, b}})
}

func (k *kernel) minus(a, b *node) *node {
	if b == nil {
		return a
	}
	return k.add(&node{op: opSub, args: []*node{a, b}})
}

func (k *kernel) times(a, b *node) *node {
	if a == nil || b == nil {
		return nil
	}
	return k.add(&node{op: opMul, args: []*node{a, b}})
}

func (k *kernel) over(a, b *node) *node { return k.add(&node{op: opDiv, args: []*node{a, b}}) }
func (k *kernel) sqrt(a *node) *node    { return k.add(&node{op: opSqrt, args: []*node{a}}) }

// fma is a*b + c.
func (k *kernel) fma(a, b, c *node) *node {
	if a == nil || b == nil {
		return c
	}
	if c == nil {
		return k.times(a, b)
	}
	return k.add(&node{op: opFma, args: []*node{a, b, c}})
}

// fnma is c - a*b.
func (k *kernel) fnma(a, b, c *node) *node {
	if a == nil || b == nil {
		return c
	}
	return k.add(&node{op: opFnma, args: []*node{a, b, c}})
}

// fms is a*b - c.
func (k *kernel) fms(a, b, c *node) *node {
	return k.add(&node{op: opFms, args: []*node{a, b, c}})
}

func (k *kernel) store(m mem, v *node) { k.add(&node{op: opStore, mem: m, args: []*node{v}}) }

// storeMasked writes only the valid lanes.
func (k *kernel) storeMasked(m mem, v *node) {
	k.add(&node{op: opStoreMasked, mem: m, args: []*node{v}})
}

// vec returns vector register i.
func (k *kernel) vec(i int) reg.Register {
	if k.lanes == 8 {
		return zs[i]
	}
	return ys[i]
}

// mask is the register with the mask of the current iteration: K1, or Y15.
func (k *kernel) mask() reg.Register {
	if k.lanes == 8 {
		return reg.K1
	}
	return reg.Y15
}

// operand returns the address, with the entry of the offset table in a register.
func (k *kernel) address(m mem) operand.Mem {
	o := operand.Mem{Base: m.base, Disp: m.disp}
	if m.index != nil {
		o.Index, o.Scale = m.index, uint8(m.scale)
	}
	if m.slot >= 0 {
		o.Index, o.Scale = k.offset(m.slot), 1
	}
	return o
}

// offset returns a register that holds an entry of the offset table, the least recently used register if
// the entry must be loaded.
func (k *kernel) offset(slot int) reg.GPPhysical {
	k.clock++
	best := 0
	for i := range k.temps {
		t := &k.temps[i]
		if t.slot == slot {
			t.used = k.clock
			return t.reg
		}
		if t.used < k.temps[best].used {
			best = i
		}
	}
	t := &k.temps[best]
	k.ctx.MOVQ(operand.Mem{Base: k.offsets, Disp: 8 * slot}, t.reg)
	t.slot, t.used = slot, k.clock
	return t.reg
}

func (k *kernel) String() string { return fmt.Sprintf("%d lanes, %d spill slots", k.lanes, k.slots) }

var zs = []reg.Register{
	reg.Z0, reg.Z1, reg.Z2, reg.Z3, reg.Z4, reg.Z5, reg.Z6, reg.Z7,
	reg.Z8, reg.Z9, reg.Z10, reg.Z11, reg.Z12, reg.Z13, reg.Z14, reg.Z15,
	reg.Z16, reg.Z17, reg.Z18, reg.Z19, reg.Z20, reg.Z21, reg.Z22, reg.Z23,
	reg.Z24, reg.Z25, reg.Z26, reg.Z27, reg.Z28, reg.Z29, reg.Z30, reg.Z31,
}

var ys = []reg.Register{
	reg.Y0, reg.Y1, reg.Y2, reg.Y3, reg.Y4, reg.Y5, reg.Y6, reg.Y7,
	reg.Y8, reg.Y9, reg.Y10, reg.Y11, reg.Y12, reg.Y13, reg.Y14,
}
