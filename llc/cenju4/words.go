package cenju4

import (
	"encoding/binary"
	"errors"

	"rhinet/llc/ir"
	"rhinet/nicemu/cenju4"
	"rhinet/nicemu/fabric"
)

var _ ir.Atomics = (*Translator)(nil)

// errNotCommon reports words that only the processor of their owner can reach.
var errNotCommon = errors.New("llc/cenju4: atomic operations work on memory of the job that begins at a multiple of 8 bytes")

// ExposeWords maps own memory for atomic operations.
func (t *Translator) ExposeWords(b []byte) (ir.Segment, error) {
	if !t.hardware.f.Common(b) || fabric.Address(b)%ir.WordBytes != 0 {
		return 0, errNotCommon
	}
	a, err := t.hardware.Map(b, cenju4.MayUpdate)
	return ir.Segment(a), err
}

// ConcealWords unmaps own memory.
func (t *Translator) ConcealWords(s ir.Segment) error { return t.hardware.Unmap(cenju4.Address(s)) }

// AddWord is an atomic add, which has no answer.
func (t *Translator) AddWord(peer int, s ir.Segment, offset, v uint64) error {
	return t.hardware.operate(peer, cenju4.AtomicAdd, [3]uint64{v, uint64(at(s, offset))})
}

// SwapWord is a swap, whose answer goes into lent memory.
func (t *Translator) SwapWord(peer int, s ir.Segment, offset, v uint64) (was uint64, err error) {
	err = t.hardware.operate(peer, cenju4.Swap, [3]uint64{uint64(at(s, offset)), v, uint64(cenju4.LentFor(0))})
	return binary.NativeEndian.Uint64(t.hardware.swapped[:]), err
}

// CompareSwapWord is a comp&swap.
func (t *Translator) CompareSwapWord(peer int, s ir.Segment, offset, old, v uint64) (was uint64, err error) {
	return t.hardware.compareSwap(peer, at(s, offset), old, v)
}
