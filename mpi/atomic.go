package mpi

import (
	"encoding/binary"
	"reflect"
)

// A fetch changes the number at p, atomically, by one operation with in, and returns
// the number before: both as bits.
type fetch func(p *byte, in uint64) (old uint64)

// atomics are the processor's atomic operations for a kind of elements. All accumulates
// on elements of one kind use either these or a lock: only then are they atomic with
// respect to each other (MPI 4.1, section 12.7.1).
type atomics struct {
	unit  int // bytes of one number; 0: no atomic operations
	fetch [numUpdates]fetch
	swap  func(p *byte, compare, v uint64) (old uint64) // nil: not for this kind
}

func atomicsOf(code typeCode) atomics {
	switch reflect.Kind(code) {
	case reflect.Int32:
		return integers32[int32]()
	case reflect.Uint32:
		return integers32[uint32]()
	case reflect.Int64:
		return integers64[int64]()
	case reflect.Uint64:
		return integers64[uint64]()
	case reflect.Float32:
		a := atomics{unit: 4}
		a.numbers(fetch32(sum[float32]), fetch32(product[float32]), fetch32(least[float32]), fetch32(greatest[float32]))
		a.fetch[Replace], a.fetch[NoOp] = replace32, load32
		return a
	case reflect.Float64:
		a := atomics{unit: 8}
		a.numbers(fetch64(sum[float64]), fetch64(product[float64]), fetch64(least[float64]), fetch64(greatest[float64]))
		a.fetch[Replace], a.fetch[NoOp] = replace64, load64
		return a
	}
	return atomics{}
}

func integers32[T integer]() atomics {
	a := atomics{unit: 4, swap: swap32}
	a.numbers(add32, fetch32(product[T]), fetch32(least[T]), fetch32(greatest[T]))
	a.logic(fetch32(logicalAnd[T]), fetch32(logicalOr[T]), fetch32(logicalXor[T]), fetch32(bitsAnd[T]), fetch32(bitsOr[T]), fetch32(bitsXor[T]))
	a.fetch[Replace], a.fetch[NoOp] = replace32, load32
	return a
}

func integers64[T integer]() atomics {
	a := atomics{unit: 8, swap: swap64}
	a.numbers(add64, fetch64(product[T]), fetch64(least[T]), fetch64(greatest[T]))
	a.logic(fetch64(logicalAnd[T]), fetch64(logicalOr[T]), fetch64(logicalXor[T]), fetch64(bitsAnd[T]), fetch64(bitsOr[T]), fetch64(bitsXor[T]))
	a.fetch[Replace], a.fetch[NoOp] = replace64, load64
	return a
}

func (a *atomics) numbers(sum, product, least, greatest fetch) {
	a.fetch[Sum], a.fetch[Prod], a.fetch[Min], a.fetch[Max] = sum, product, least, greatest
}

func (a *atomics) logic(land, lor, lxor, band, bor, bxor fetch) {
	a.fetch[LAnd], a.fetch[LOr], a.fetch[LXor] = land, lor, lxor
	a.fetch[BAnd], a.fetch[BOr], a.fetch[BXor] = band, bor, bxor
}

func sum[T number](in, was T) T      { return was + in }
func product[T number](in, was T) T  { return was * in }
func least[T number](in, was T) T    { return min(was, in) }
func greatest[T number](in, was T) T { return max(was, in) }

func bitsAnd[T integer](in, was T) T    { return was & in }
func bitsOr[T integer](in, was T) T     { return was | in }
func bitsXor[T integer](in, was T) T    { return was ^ in }
func logicalAnd[T integer](in, was T) T { return truth[T](was != 0 && in != 0) }
func logicalOr[T integer](in, was T) T  { return truth[T](was != 0 || in != 0) }
func logicalXor[T integer](in, was T) T { return truth[T]((was != 0) != (in != 0)) }

func truth[T integer](b bool) T {
	if b {
		return 1
	}
	return 0
}

// An update changes memory of a window: an accumulate, with or without fetch.
type update struct {
	e       *elem
	op      Predefined
	data    []byte // operands; unused by NoOp
	old     []byte // gets the memory before; nil: not fetched
	compare []byte // not nil: data replaces memory that equals it
	alone   bool   // no other rank uses the memory meanwhile
}

// bytes is the length of the memory that u accesses.
func (u *update) bytes() int { return max(len(u.data), len(u.old)) }

// longest returns the longer one of the two buffers.
func (u *update) longest() []byte {
	if len(u.data) < len(u.old) {
		return u.old
	}
	return u.data
}

// natural reports whether u uses the processor's atomic operations.
func (u *update) natural() bool { return u.e.unit > 0 }

// apply carries u out on mem, which no other rank uses meanwhile.
func (u *update) apply(mem []byte) {
	copy(u.old, mem)
	switch {
	case u.compare != nil:
		if string(mem) == string(u.compare) {
			copy(mem, u.data)
		}
	case u.op == NoOp:
	case u.op == Replace:
		copy(mem, u.data)
	default:
		u.e.ops[u.op].fold(u.data, mem)
	}
}

// readModifyWrite carries u out on memory that read and write copy. The caller excludes
// other updates.
func (u *update) readModifyWrite(read, write func(mem []byte) error) error {
	mem := alignedBytes(u.bytes())
	if err := read(mem); err != nil {
		return err
	}
	if u.apply(mem); u.op == NoOp && u.compare == nil {
		return nil
	}
	return write(mem)
}

// applyAtomically carries u out on mem number by number.
func (u *update) applyAtomically(mem []byte) {
	n := u.e.unit
	if u.compare != nil {
		put(u.old, n, u.e.swap(&mem[0], number64(u.compare, n), number64(u.data, n)))
		return
	}
	f := u.e.fetch[u.op]
	for i := 0; i+n <= len(mem); i += n {
		var in uint64
		if u.op != NoOp {
			in = number64(u.data[i:], n)
		}
		if old := f(&mem[i], in); u.old != nil {
			put(u.old[i:], n, old)
		}
	}
}

func number64(b []byte, n int) uint64 {
	if n == 8 {
		return binary.NativeEndian.Uint64(b)
	}
	return uint64(binary.NativeEndian.Uint32(b))
}

func put(b []byte, n int, v uint64) {
	if n == 8 {
		binary.NativeEndian.PutUint64(b, v)
	} else {
		binary.NativeEndian.PutUint32(b, uint32(v))
	}
}
