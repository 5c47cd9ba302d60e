package vec

import "unsafe"

// overlap reports whether the first n bytes of a and of b share any byte. n must not be 0.
func overlap(a, b []byte, n int) bool {
	d := uintptr(unsafe.Pointer(unsafe.SliceData(a))) - uintptr(unsafe.Pointer(unsafe.SliceData(b)))
	return d < uintptr(n) || -d < uintptr(n)
}
