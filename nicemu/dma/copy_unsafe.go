package dma

import (
	"sync/atomic"
	"unsafe"
)

// A DMA controller writes ascending, and what polls the target relies on the
// end: the last aligned word of a transfer becomes visible after all the rest,
// and it and the first each become visible whole (pm-messaging, section 1.9).

// Write copies src to dst, which is as long.
func Write(dst, src []byte) {
	n := len(src)
	at := uintptr(unsafe.Pointer(unsafe.SliceData(dst)))
	switch {
	case n == 8 && at%8 == 0:
		var v uint64
		copy((*[8]byte)(unsafe.Pointer(&v))[:], src)
		atomic.StoreUint64((*uint64)(unsafe.Pointer(&dst[0])), v)
	case n < 4 || at%4 != 0 || n%4 != 0:
		copy(dst, src)
	default:
		storeWord(dst, src)
		if n > 4 {
			copy(dst[4:n-4], src[4:])
			storeWord(dst[n-4:], src[n-4:])
		}
	}
}

// storeWord stores the first four bytes of src in one piece.
func storeWord(dst, src []byte) {
	var v uint32
	copy((*[4]byte)(unsafe.Pointer(&v))[:], src)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&dst[0])), v)
}

// Read copies src to dst, which is as long: a single aligned word in one
// piece.
func Read(dst, src []byte) {
	if len(src) == 8 && uintptr(unsafe.Pointer(unsafe.SliceData(src)))%8 == 0 {
		v := atomic.LoadUint64((*uint64)(unsafe.Pointer(&src[0])))
		copy(dst, (*[8]byte)(unsafe.Pointer(&v))[:])
		return
	}
	copy(dst, src)
}
