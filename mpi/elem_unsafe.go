package mpi

import "unsafe"

// typeWord identifies T by the address of the type descriptor of *T, which the linker
// places once.
func typeWord[T any]() uintptr {
	p := any((*T)(nil))
	return *(*uintptr)(unsafe.Pointer(&p))
}

// sizeOf is the size of one T in bytes.
func sizeOf[T any]() int {
	var v T
	return int(unsafe.Sizeof(v))
}

// view returns the memory of s as bytes. T holds no pointers: [elemOf] has checked it.
func view[T any](s []T) []byte {
	if len(s) == 0 {
		return nil
	}
	return unsafe.Slice((*byte)(unsafe.Pointer(unsafe.SliceData(s))), len(s)*sizeOf[T]())
}

// elements is the inverse of view, for reducers. b came from a []T, or from memory of
// this package that is aligned for any element.
func elements[T any](b []byte) []T {
	if len(b) == 0 {
		return nil
	}
	return unsafe.Slice((*T)(unsafe.Pointer(unsafe.SliceData(b))), len(b)/sizeOf[T]())
}

// misaligned returns how many bytes b begins behind a multiple of line, a power of two.
func misaligned(b []byte, line int) int {
	return int(uintptr(unsafe.Pointer(unsafe.SliceData(b))) & uintptr(line-1))
}

// sameStart reports whether a and b begin with the same byte: the caller asks for an
// operation in place.
func sameStart(a, b []byte) bool {
	return len(a) > 0 && len(b) > 0 && unsafe.SliceData(a) == unsafe.SliceData(b)
}

// overlap reports whether a and b share memory.
func overlap(a, b []byte) bool {
	if len(a) == 0 || len(b) == 0 {
		return false
	}
	p, q := uintptr(unsafe.Pointer(unsafe.SliceData(a))), uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return p < q+uintptr(len(b)) && q < p+uintptr(len(a))
}

// address returns where b begins. Memory of requests does not move.
func address(b []byte) uintptr { return uintptr(unsafe.Pointer(unsafe.SliceData(b))) }

// firstByte is where v begins.
func firstByte[T any](v *T) *byte { return (*byte)(unsafe.Pointer(v)) }

// aligned reports whether b begins where an element of T may.
func aligned[T any](b []byte) bool {
	var v T
	return uintptr(unsafe.Pointer(unsafe.SliceData(b)))%unsafe.Alignof(v) == 0
}
