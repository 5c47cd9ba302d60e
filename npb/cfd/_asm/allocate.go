package main

import (
	"fmt"

	"github.com/mmcloughlin/avo/operand"
)

// emit writes the body: the nodes in the order in which they were made, without unused ones. If a register
// is needed, it is taken from the value whose next use is furthest; a value that is in memory anyway is not
// spilled.
func (k *kernel) emit() {
	order := k.live()
	n := len(zs)
	if k.lanes == 4 {
		n = len(ys)
	}
	k.regs = make([]*node, n)
	for i := range k.temps {
		k.temps[i].slot, k.temps[i].used = -1, 0
	}
	for pos, x := range order {
		k.instruction(pos, x)
	}
	if limit := 64 * spillSlots; k.slots*64 > limit {
		panic(fmt.Sprintf("%d spill slots", k.slots))
	}
}

const spillSlots = 128

// live returns the instructions in order and records the uses of each value. Loads are not instructions:
// they happen when a value is used.
func (k *kernel) live() []*node {
	needed := map[*node]bool{}
	for i := len(k.nodes) - 1; i >= 0; i-- {
		x := k.nodes[i]
		if x.op >= opStore {
			needed[x] = true
		}
		if needed[x] {
			for _, a := range x.args {
				needed[a] = true
			}
		}
	}
	var order []*node
	for _, x := range k.nodes {
		if !needed[x] || x.op == opLoad || x.op == opBroadcast {
			continue
		}
		for _, a := range x.args {
			a.uses = append(a.uses, len(order))
		}
		order = append(order, x)
	}
	return order
}

// nextUse returns the position of the first use after pos, or a large number.
func (x *node) nextUse(pos int) int {
	for _, u := range x.uses {
		if u > pos {
			return u
		}
	}
	return 1 << 30
}

// usesAt counts how often x is used by the instruction at pos.
func (x *node) usesAt(pos int) int {
	n := 0
	for _, u := range x.uses {
		if u == pos {
			n++
		}
	}
	return n
}

// take returns a free register; it may have to evict another value.
func (k *kernel) take(pos int, keep []*node) int {
	best, far := -1, -1
	for i, x := range k.regs {
		if x == nil {
			return i
		}
		if contains(keep, x) {
			continue
		}
		next := x.nextUse(pos)
		// Prefer values that need not be stored.
		if next > far || next == far && x.inMemory() && !k.regs[best].inMemory() {
			best, far = i, next
		}
	}
	if best < 0 {
		panic("no register")
	}
	x := k.regs[best]
	if !x.inMemory() && x.nextUse(pos) < 1<<30 {
		x.slot = k.slots
		k.slots++
		k.ctx.VMOVUPD(k.vec(best), k.spillSlot(x.slot))
	}
	x.reg = -1
	k.regs[best] = nil
	return best
}

func (x *node) inMemory() bool { return x.op == opLoad || x.op == opBroadcast || x.slot >= 0 }

// foldable reports whether the value can be an operand from memory.
func (x *node) foldable() bool { return x.reg < 0 && (x.op == opLoad || x.slot >= 0) }

func (k *kernel) spillSlot(i int) operand.Mem {
	return operand.Mem{Base: k.consts, Disp: k.spill + 64*i}
}

func (k *kernel) place(x *node) operand.Mem {
	if x.slot >= 0 {
		return k.spillSlot(x.slot)
	}
	return k.address(x.mem)
}

// need brings a value into a register.
func (k *kernel) need(pos int, x *node, keep []*node) int {
	if x.reg >= 0 {
		return x.reg
	}
	r := k.take(pos, keep)
	switch {
	case x.slot < 0 && x.op == opBroadcast:
		k.ctx.VBROADCASTSD(k.address(x.mem), k.vec(r))
	default:
		k.ctx.VMOVUPD(k.place(x), k.vec(r))
	}
	k.set(r, x)
	return r
}

func (k *kernel) set(r int, x *node) {
	k.regs[r] = x
	x.reg = r
}

// release frees the registers of values without a use after pos.
func (k *kernel) release(pos int, args []*node) {
	for _, a := range args {
		if a.reg >= 0 && a.nextUse(pos) == 1<<30 {
			k.regs[a.reg] = nil
			a.reg = -1
		}
	}
}

// dies reports whether the register of x may be overwritten at pos.
func (x *node) dies(pos int) bool {
	return x.reg >= 0 && x.usesAt(pos) == 1 && x.nextUse(pos) == 1<<30
}

func contains(list []*node, x *node) bool {
	for _, y := range list {
		if x == y {
			return true
		}
	}
	return false
}

// spare reports whether a few registers are free.
func (k *kernel) spare() bool {
	free := 0
	for _, x := range k.regs {
		if x == nil {
			free++
		}
	}
	return free > 4
}

// source returns x as the operand that may come from memory: a value with another use soon is kept in a
// register.
func (k *kernel) source(pos int, x *node, keep []*node) operand.Op {
	const soon = 12
	if x.mem.base == k.consts && x.reg < 0 && x.slot < 0 && k.spare() && x.nextUse(pos) < 1<<30 {
		return k.vec(k.need(pos, x, keep))
	}
	if x.foldable() && (x.mem.base == k.consts || x.nextUse(pos) > pos+soon) {
		return k.place(x)
	}
	return k.vec(k.need(pos, x, keep))
}

// instruction emits the node at pos.
func (k *kernel) instruction(pos int, x *node) {
	switch x.op {
	case opStore, opStoreMasked:
		r := k.vec(k.need(pos, x.args[0], nil))
		m := k.address(x.mem)
		switch {
		case x.op == opStore:
			k.ctx.VMOVUPD(r, m)
		case k.lanes == 8:
			k.ctx.VMOVUPD(r, k.mask(), m)
		default:
			k.ctx.VMASKMOVPD(r, k.mask(), m)
		}
		k.release(pos, x.args)
	case opSqrt:
		s := k.source(pos, x.args[0], x.args)
		k.release(pos, x.args)
		r := k.take(pos, nil)
		k.ctx.VSQRTPD(s, k.vec(r))
		k.set(r, x)
	case opFma, opFnma, opFms:
		k.multiplyAdd(pos, x)
	default:
		k.binary(pos, x)
	}
}

// binary emits an instruction with three operands.
func (k *kernel) binary(pos int, x *node) {
	a, b := x.args[0], x.args[1]
	if (x.op == opAdd || x.op == opMul) && a.reg < 0 && b.reg >= 0 {
		a, b = b, a
	}
	first := k.vec(k.need(pos, a, x.args))
	second := k.source(pos, b, x.args)
	k.release(pos, x.args)
	r := k.take(pos, nil)
	dst := k.vec(r)
	switch x.op {
	case opAdd:
		k.ctx.VADDPD(second, first, dst)
	case opSub:
		k.ctx.VSUBPD(second, first, dst)
	case opMul:
		k.ctx.VMULPD(second, first, dst)
	case opDiv:
		k.ctx.VDIVPD(second, first, dst)
	}
	k.set(r, x)
}

// multiplyAdd emits a fused instruction, whose destination is one of its sources.
func (k *kernel) multiplyAdd(pos int, x *node) {
	a, b, c := x.args[0], x.args[1], x.args[2]
	if a == c || b == c {
		panic("operand used twice")
	}
	// b is the factor that may stay in memory.
	if a.reg < 0 && b.reg >= 0 {
		a, b = b, a
	}
	switch {
	case c.dies(pos):
		ra := k.vec(k.need(pos, a, x.args))
		k.fused(x, 231, k.source(pos, b, x.args), ra, c)
	case a.dies(pos) || b.dies(pos):
		if !a.dies(pos) {
			a, b = b, a
		}
		if b.foldable() && c.reg >= 0 {
			k.fused(x, 132, k.source(pos, b, x.args), k.vec(c.reg), a)
			break
		}
		rb := k.vec(k.need(pos, b, x.args))
		k.fused(x, 213, k.source(pos, c, x.args), rb, a)
	default:
		// A copy of the addend is the destination.
		k.need(pos, a, x.args)
		t := &node{reg: -1, slot: -1}
		r := k.take(pos, x.args)
		if c.reg >= 0 {
			k.ctx.VMOVAPD(k.vec(c.reg), k.vec(r))
		} else if c.op == opBroadcast && c.slot < 0 {
			k.ctx.VBROADCASTSD(k.address(c.mem), k.vec(r))
		} else {
			k.ctx.VMOVUPD(k.place(c), k.vec(r))
		}
		k.set(r, t)
		s := k.source(pos, b, append([]*node{t}, x.args...))
		k.fused(x, 231, s, k.vec(a.reg), t)
	}
	k.release(pos, x.args)
}

// fused emits the instruction with the given order of operands; the result takes
// the register of dst.
func (k *kernel) fused(x *node, form int, s3, s2 operand.Op, dst *node) {
	d := k.vec(dst.reg)
	type f = func(...operand.Op)
	table := map[op]map[int]f{
		opFma:  {132: k.ctx.VFMADD132PD, 213: k.ctx.VFMADD213PD, 231: k.ctx.VFMADD231PD},
		opFnma: {132: k.ctx.VFNMADD132PD, 213: k.ctx.VFNMADD213PD, 231: k.ctx.VFNMADD231PD},
		opFms:  {132: k.ctx.VFMSUB132PD, 213: k.ctx.VFMSUB213PD, 231: k.ctx.VFMSUB231PD},
	}
	table[x.op][form](s3, s2, d)
	r := dst.reg
	dst.reg = -1
	k.set(r, x)
}
