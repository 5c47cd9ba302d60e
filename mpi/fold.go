package mpi

import (
	"reflect"

	"rhinet/internal/vec"
)

// A fold combines in into inout, both elements of one type as bytes:
// inout[i] = in[i] op inout[i].
type fold func(in, inout []byte)

// folds holds the fold of each predefined operation, nil where an operation
// is not defined.
type folds [numPredefined]fold

// foldsOf returns the folds for elements of type T. Only the kind of T matters, so
// named types work like their underlying types.
func foldsOf[T any](t reflect.Type) folds {
	if p, ok := any(new(T)).(interface{ folds(reflect.Type) folds }); ok {
		return p.folds(t)
	}
	switch t.Kind() {
	case reflect.Bool:
		return logicals()
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

// over makes a loop over elements a fold.
func over[T any](loop func(in, inout []T)) fold {
	return func(in, inout []byte) { loop(elements[T](in), elements[T](inout)) }
}

// numbers returns the operations of any number.
func numbers[T vec.Number]() (r folds) {
	r[Sum], r[Prod] = over(vec.Sum[T]), over(vec.Prod[T])
	return r
}

// ordered adds the operations of numbers that have an order.
func ordered[T vec.Real]() folds {
	r := numbers[T]()
	r[Min], r[Max] = over(vec.Min[T]), over(vec.Max[T])
	return r
}

// integers adds the bitwise and logical operations.
func integers[T vec.Integer]() folds {
	r := ordered[T]()
	r[BAnd], r[BOr], r[BXor] = over(vec.BAnd[T]), over(vec.BOr[T]), over(vec.BXor[T])
	r[LAnd], r[LOr], r[LXor] = over(vec.LAnd[T]), over(vec.LOr[T]), over(vec.LXor[T])
	return r
}

// logicals returns the operations of bool.
func logicals() (r folds) {
	r[LAnd], r[LOr], r[LXor] = over(vec.BoolAnd[bool]), over(vec.BoolOr[bool]), over(vec.BoolXor[bool])
	return r
}

// Real is the numbers that have an order: those that a [ValLoc] can hold.
//
// MPI 4.1, section 6.9.4.
type Real interface{ vec.Real }

// A ValLoc is a value and its location: the element type of MinLoc and MaxLoc.
//
// MPI 4.1, section 6.9.4.
type ValLoc[T Real] struct {
	Val T
	Loc int
}

// folds returns MinLoc and MaxLoc, where of equal values the lowest Loc wins. A struct that
// embeds a ValLoc has this method too, but is of another type t.
func (*ValLoc[T]) folds(t reflect.Type) (r folds) {
	if t != reflect.TypeFor[ValLoc[T]]() {
		return r
	}
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
