package fetchop

import (
	"sync/atomic"
	"unsafe"
)

// A number is a type that processors have atomic operations for.
type number interface {
	int32 | int64 | uint32 | uint64 | float32 | float64
}

// An integer is a number that can be added atomically.
type integer interface {
	int32 | int64 | uint32 | uint64
}

// fetch64 is f, carried out atomically on the 64-bit word at p.
func fetch64[T number](f func(in, was T) T) Func {
	return func(p *byte, in uint64) uint64 {
		w := (*uint64)(unsafe.Pointer(p))
		v := *(*T)(unsafe.Pointer(&in))
		for {
			old := atomic.LoadUint64(w)
			result := f(v, *(*T)(unsafe.Pointer(&old)))
			if atomic.CompareAndSwapUint64(w, old, *(*uint64)(unsafe.Pointer(&result))) {
				return old
			}
		}
	}
}

// fetch32 is f, carried out atomically on the 32-bit word at p.
func fetch32[T number](f func(in, was T) T) Func {
	return func(p *byte, in uint64) uint64 {
		w := (*uint32)(unsafe.Pointer(p))
		low := uint32(in)
		v := *(*T)(unsafe.Pointer(&low))
		for {
			old := atomic.LoadUint32(w)
			result := f(v, *(*T)(unsafe.Pointer(&old)))
			if atomic.CompareAndSwapUint32(w, old, *(*uint32)(unsafe.Pointer(&result))) {
				return uint64(old)
			}
		}
	}
}

func add64(p *byte, in uint64) uint64 {
	return atomic.AddUint64((*uint64)(unsafe.Pointer(p)), in) - in
}

func add32(p *byte, in uint64) uint64 {
	return uint64(atomic.AddUint32((*uint32)(unsafe.Pointer(p)), uint32(in)) - uint32(in))
}

func replace64(p *byte, in uint64) uint64 {
	return atomic.SwapUint64((*uint64)(unsafe.Pointer(p)), in)
}

func replace32(p *byte, in uint64) uint64 {
	return uint64(atomic.SwapUint32((*uint32)(unsafe.Pointer(p)), uint32(in)))
}

func load64(p *byte, _ uint64) uint64 { return atomic.LoadUint64((*uint64)(unsafe.Pointer(p))) }

func load32(p *byte, _ uint64) uint64 { return uint64(atomic.LoadUint32((*uint32)(unsafe.Pointer(p)))) }

// swap64 stores v at p if compare is there, and returns the word before.
func swap64(p *byte, compare, v uint64) uint64 {
	w := (*uint64)(unsafe.Pointer(p))
	for {
		if atomic.CompareAndSwapUint64(w, compare, v) {
			return compare
		}
		if old := atomic.LoadUint64(w); old != compare {
			return old
		}
	}
}

// swap32 is swap64 of a 32-bit word.
func swap32(p *byte, compare, v uint64) uint64 {
	w := (*uint32)(unsafe.Pointer(p))
	for {
		if atomic.CompareAndSwapUint32(w, uint32(compare), uint32(v)) {
			return uint64(uint32(compare))
		}
		if old := atomic.LoadUint32(w); old != uint32(compare) {
			return uint64(old)
		}
	}
}

// Bits returns a number of 4 or 8 bytes as operands are passed.
func Bits[T any](v T) uint64 {
	if unsafe.Sizeof(v) == 8 {
		return *(*uint64)(unsafe.Pointer(&v))
	}
	return uint64(*(*uint32)(unsafe.Pointer(&v)))
}

// FromBits is the inverse of Bits.
func FromBits[T any](b uint64) (v T) {
	if unsafe.Sizeof(v) == 8 {
		*(*uint64)(unsafe.Pointer(&v)) = b
	} else {
		*(*uint32)(unsafe.Pointer(&v)) = uint32(b)
	}
	return v
}
