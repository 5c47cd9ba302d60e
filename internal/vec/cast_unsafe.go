//go:build amd64 && !purego && !race

package vec

import "unsafe"

// cast views a slice as one of another element type: numbers of the same size, or the parts of complex
// numbers.
func cast[To, From any](s []From) []To {
	var to To
	var from From
	n := len(s) * int(unsafe.Sizeof(from)) / int(unsafe.Sizeof(to))
	return unsafe.Slice((*To)(unsafe.Pointer(unsafe.SliceData(s))), n)
}
