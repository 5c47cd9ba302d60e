package dma

import (
	"sync/atomic"
	"unsafe"
)

// Atomic operations of a NIC on memory of this process. They are atomic with respect to those of
// the processor too. b is an aligned word: see Aligned.

// Aligned reports whether b is one aligned word of eight bytes, as atomic operations need.
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
