package mpi

import "reflect"

// A fold combines in into inout, both elements of one type as bytes:
// inout[i] = in[i] op inout[i].
type fold func(in, inout []byte)

// folds holds the fold of each predefined operation, nil where an operation
// is not defined.
type folds [numPredefined]fold

// foldsOf finds the folds for elements of type T. Only the kind of T
// matters, so that named types work like the types they are made of.
func foldsOf[T any](t reflect.Type) folds {
	if p, ok := any((*T)(nil)).(interface{ folds() folds }); ok {
		return p.folds()
	}
	switch t.Kind() {
	case reflect.Bool:
		return logicals[bool](func(b bool) bool { return b }, func(b bool) bool { return b })
	case reflect.Int8:
		return integers[int8]()
	case reflect.Int16:
		return integers[int16]()
	case reflect.Int32:
		return integers[int32]()
	case reflect.Int64:
		return integers[int64]()
	case reflect.Int:
		return integers[int]()
	case reflect.Uint8:
		return integers[uint8]()
	case reflect.Uint16:
		return integers[uint16]()
	case reflect.Uint32:
		return integers[uint32]()
	case reflect.Uint64:
		return integers[uint64]()
	case reflect.Uint:
		return integers[uint]()
	case reflect.Uintptr:
		return integers[uintptr]()
	case reflect.Float32:
		return ordered[float32]()
	case reflect.Float64:
		return ordered[float64]()
	case reflect.Complex64:
		return numbers[complex64]()
	case reflect.Complex128:
		return numbers[complex128]()
	}
	return folds{}
}

type integer interface {
	int8 | int16 | int32 | int64 | int | uint8 | uint16 | uint32 | uint64 | uint | uintptr
}

// Real is the numbers that compare: what [ValLoc] can locate.
type Real interface {
	integer | float32 | float64
}

type number interface {
	Real | complex64 | complex128
}

// numbers gives the operations of any number.
func numbers[T number]() (r folds) {
	r[Sum] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] += v
		}
	}
	r[Prod] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] *= v
		}
	}
	return r
}

// ordered adds the operations of numbers that compare.
func ordered[T Real]() folds {
	r := numbers[T]()
	r[Min] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] = min(b[i], v)
		}
	}
	r[Max] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] = max(b[i], v)
		}
	}
	return r
}

// integers adds the bitwise and logical operations.
func integers[T integer]() folds {
	r := ordered[T]()
	r[BAnd] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] &= v
		}
	}
	r[BOr] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] |= v
		}
	}
	r[BXor] = func(in, inout []byte) {
		a, b := elements[T](in), elements[T](inout)
		for i, v := range a[:len(b)] {
			b[i] ^= v
		}
	}
	l := logicals(func(v T) bool { return v != 0 }, func(b bool) T {
		if b {
			return 1
		}
		return 0
	})
	r[LAnd], r[LOr], r[LXor] = l[LAnd], l[LOr], l[LXor]
	return r
}

// logicals gives the logical operations of a type that stands for truth.
func logicals[T any](truth func(T) bool, value func(bool) T) (r folds) {
	each := func(op func(a, b bool) bool) fold {
		return func(in, inout []byte) {
			a, b := elements[T](in), elements[T](inout)
			for i, v := range a[:len(b)] {
				b[i] = value(op(truth(v), truth(b[i])))
			}
		}
	}
	r[LAnd] = each(func(a, b bool) bool { return a && b })
	r[LOr] = each(func(a, b bool) bool { return a || b })
	r[LXor] = each(func(a, b bool) bool { return a != b })
	return r
}

// A ValLoc is a value and where it is: the element type of MinLoc and MaxLoc.
//
// MPI 4.1, section 6.9.4.
type ValLoc[T Real] struct {
	Val T
	Loc int
}

// folds gives MinLoc and MaxLoc. Of equal values the lowest Loc wins.
func (*ValLoc[T]) folds() (r folds) {
	pick := func(better func(a, b T) bool) fold {
		return func(in, inout []byte) {
			a, b := elements[ValLoc[T]](in), elements[ValLoc[T]](inout)
			for i, v := range a[:len(b)] {
				if better(v.Val, b[i].Val) || v.Val == b[i].Val && v.Loc < b[i].Loc {
					b[i] = v
				}
			}
		}
	}
	r[MinLoc] = pick(func(a, b T) bool { return a < b })
	r[MaxLoc] = pick(func(a, b T) bool { return a > b })
	return r
}
