package martini

import "unsafe"

// Word32 views the four bytes of shared memory at b[at:], which is aligned, as one word, for
// polling a word that a NIC writes.
func Word32(b []byte, at int) *uint32 {
	return (*uint32)(unsafe.Pointer(unsafe.SliceData(b[at : at+4])))
}

// Word64 is Word32 for eight bytes.
func Word64(b []byte, at int) *uint64 {
	return (*uint64)(unsafe.Pointer(unsafe.SliceData(b[at : at+8])))
}
