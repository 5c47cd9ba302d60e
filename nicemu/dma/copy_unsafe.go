package dma

import (
	"sync/atomic"
	"unsafe"
)

// A DMA controller writes in ascending order, and programs that poll the target rely on the end:
// the last aligned word of a transfer becomes visible after all others, and the first and the last
// word each become visible as a whole (pm-messaging, section 1.9).

// Write copies src to dst, which has the same length.
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

// storeWord stores the first four bytes of src in one access.
func storeWord(dst, src []byte) {
	var v uint32
	copy((*[4]byte)(unsafe.Pointer(&v))[:], src)
	atomic.StoreUint32((*uint32)(unsafe.Pointer(&dst[0])), v)
}

// Read copies src to dst, which has the same length. A single aligned word is read in one access.
func Read(dst, src []byte) {
	if len(src) == 8 && uintptr(unsafe.Pointer(unsafe.SliceData(src)))%8 == 0 {
		v := atomic.LoadUint64((*uint64)(unsafe.Pointer(&src[0])))
		copy(dst, (*[8]byte)(unsafe.Pointer(&v))[:])
		return
	}
	copy(dst, src)
}
