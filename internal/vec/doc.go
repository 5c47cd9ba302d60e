// Package vec holds the loops of reductions: inout[i] = in[i] op inout[i] on
// typed slices. Sums, minima and maxima of the common kinds run on AVX2 where
// the processor has it; each assembly kernel has the Go loop beside it as its
// portable implementation, which the build tag purego, the race detector and
// other processors select.
//
// [Copy] copies bytes by the same means, and [Demote] hands them on to another core.
//
// The loops work on the first len(inout) elements of in, which must not
// be shorter, and panic if it is. in and inout may be the same slice, but must
// not overlap otherwise. Nothing is allocated.
package vec

// Integer is the integer types.
type Integer interface {
	~int8 | ~int16 | ~int32 | ~int64 | ~int | ~uint8 | ~uint16 | ~uint32 | ~uint64 | ~uint | ~uintptr
}

// Real is the ordered numeric types.
type Real interface {
	Integer | ~float32 | ~float64
}

// Number is the numeric types.
type Number interface {
	Real | ~complex64 | ~complex128
}
