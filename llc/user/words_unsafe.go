package user

import (
	"sync/atomic"
	"unsafe"
)

// Words returns the area as words with atomic operations, which are atomic for the processors of all peers.
// Bytes behind the last whole word are left out.
func (a Area) Words() []atomic.Uint64 {
	if len(a.Bytes) < 8 {
		return nil
	}
	return unsafe.Slice((*atomic.Uint64)(unsafe.Pointer(unsafe.SliceData(a.Bytes))), len(a.Bytes)/8)
}
