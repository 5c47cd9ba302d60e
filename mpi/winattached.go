package mpi

import (
	"cmp"
	"slices"
)

// attachments are the regions of a dynamic window that this rank has attached.
type attachments struct {
	last  uint64 // number of the last region
	mem   map[uint64][]byte
	taken [maxSlots]bool
	order [][]byte // those that are not empty, by address
}

// slot returns an ID with a free slot that has not been used lately, if there is one.
func (a *attachments) slot() (id uint64, free bool) {
	for range maxSlots {
		a.last++
		if id = slotted | a.last%slotted; !a.taken[id%maxSlots] {
			return id, true
		}
	}
	return 0, false
}

// number returns an ID without a slot that has not been used lately.
func (a *attachments) number() uint64 {
	for {
		a.last++
		id := a.last % slotted
		if _, used := a.mem[id]; !used && id != 0 { // 0 begins all small displacements, which are mistakes
			return id
		}
	}
}

func (a *attachments) add(id uint64, mem []byte) {
	a.mem[id] = mem
	if id&slotted != 0 {
		a.taken[id%maxSlots] = true
	}
	if len(mem) > 0 {
		i, _ := a.find(mem)
		a.order = slices.Insert(a.order, i, mem)
	}
}

func (a *attachments) remove(id uint64) {
	mem := a.mem[id]
	delete(a.mem, id)
	if id&slotted != 0 {
		a.taken[id%maxSlots] = false
	}
	if len(mem) > 0 {
		i, _ := a.find(mem)
		a.order = slices.Delete(a.order, i, i+1)
	}
}

// overlaps reports whether some of mem is attached.
func (a *attachments) overlaps(mem []byte) bool {
	i, found := a.find(mem)
	return found && len(mem) > 0 || i > 0 && overlap(a.order[i-1], mem) || i < len(a.order) && overlap(a.order[i], mem)
}

// find returns the index of the region that begins where mem does, or of the first one
// behind that.
func (a *attachments) find(mem []byte) (int, bool) {
	return slices.BinarySearchFunc(a.order, address(mem), func(r []byte, at uintptr) int { return cmp.Compare(address(r), at) })
}
