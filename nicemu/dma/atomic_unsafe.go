package dma

import (
	"sync/atomic"
	"unsafe"
)

// Atomic operations of a NIC on memory that this process has, at one with those of
// the processor. b is an aligned word: Aligned.

// Aligned reports whether b is one word of eight bytes that an atomic operation
// takes whole.
func Aligned(b []byte) bool {
	return len(b) == 8 && uintptr(unsafe.Pointer(unsafe.SliceData(b)))%8 == 0
}

// CompareSwap stores now in b if it holds old, and returns what it held.
func CompareSwap(b []byte, old, now uint64) uint64 {
	w := (*uint64)(unsafe.Pointer(unsafe.SliceData(b)))
	for {
		if seen := atomic.LoadUint64(w); seen != old {
			return seen
		}
		if atomic.CompareAndSwapUint64(w, old, now) {
			return old
		}
	}
}

// FetchAdd adds n to b and returns what it held.
func FetchAdd(b []byte, n uint64) uint64 {
	return atomic.AddUint64((*uint64)(unsafe.Pointer(unsafe.SliceData(b))), n) - n
}
