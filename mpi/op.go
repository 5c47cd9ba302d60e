package mpi

import (
	"fmt"
	"reflect"

	"rhinet/internal/layout"
)

// An Op is a reduction operation: one of the constants below, or a user's function
// wrapped by [OpFunc]. A predefined operation works on the element types that are
// listed with it; for others the call fails with [ErrOp].
//
// MPI 4.1, section 6.9.
type Op interface {
	// String is the operation's name.
	String() string
	predefined() bool
}

// A Predefined is an operation that the standard defines.
//
// MPI 4.1, section 6.9.2.
type Predefined uint8

// The predefined operations.
const (
	Sum    Predefined = iota // numbers, complex too
	Prod                     // numbers, complex too
	Min                      // integers and floating point
	Max                      // integers and floating point
	LAnd                     // bool and integers; true is any value but 0
	LOr                      // bool and integers
	LXor                     // bool and integers
	BAnd                     // integers
	BOr                      // integers
	BXor                     // integers
	MinLoc                   // ValLoc: the smallest value and the lowest Loc that has it
	MaxLoc                   // ValLoc: the largest value and the lowest Loc that has it
	numPredefined
)

// Operations for one-sided communication only.
//
// MPI 4.1, section 12.3.4.
const (
	Replace = numPredefined + iota // the target gets the origin's value (MPI_REPLACE)
	NoOp                           // the target stays as it is: an atomic read (MPI_NO_OP)

	numUpdates
)

var predefinedNames = [numUpdates]string{
	"Sum", "Prod", "Min", "Max", "LAnd", "LOr", "LXor", "BAnd", "BOr", "BXor", "MinLoc", "MaxLoc",
	"Replace", "NoOp",
}

// String returns the name of the operation.
func (op Predefined) String() string {
	if op < numUpdates {
		return predefinedNames[op]
	}
	return fmt.Sprintf("operation %d", uint8(op))
}

func (op Predefined) predefined() bool { return true }

// A Combiner folds in into inout element by element: inout[i] = in[i] op inout[i],
// where in comes from lower ranks. Both have the same length. It must be associative;
// it may be called with any part of the data. If the buffers are of items, see [View],
// it gets the elements that the layout selects, packed, and always whole items: so it
// may combine vectors or matrices whose size is known at run time only.
//
// It may make no call of MPI that communicates. A collective call on the communicator
// of the call that it is part of fails with [ErrOther], if that one is blocking.
//
// If it panics, so does a blocking call, while other calls fail with [ErrOther]. The
// call has then ended half-way, and the communicator takes no further collective call.
//
// MPI 4.1, section 6.9.5 (MPI_User_function).
type Combiner[T any] func(in, inout []T)

// A userOp is a user's operation on elements of one type.
type userOp struct {
	reducer
	name string
	word uintptr // of the element type
	elem string  // its name, for errors
	sig  *layout.Signature
	item int  // see [launch]
	none bool // it has no function
}

func (op *userOp) String() string   { return op.name }
func (op *userOp) predefined() bool { return false }

// An OpOption is a property of a user's operation.
//
// MPI 4.1, section 6.9.5 (MPI_Op_create).
type OpOption func(*userOp)

// Commutative says that the operation commutes, which leaves more algorithms to choose
// from.
//
// MPI 4.1, section 6.9.5 (MPI_Op_create).
func Commutative(op *userOp) { op.reducer.commutative = true }

// OpFunc makes f an operation on elements of type T, and on items that consist of them:
// see [Combiner]. f must be associative. Without the option [Commutative], operands are
// combined in rank order. An OpFunc of bytes also combines items of any other elements,
// as their packed bytes.
//
// MPI 4.1, section 6.9.5.
func OpFunc[T any](f Combiner[T], options ...OpOption) Op {
	var t T
	op := &userOp{
		name: fmt.Sprintf("OpFunc[%T]", t),
		word: typeWord[T](),
		elem: fmt.Sprintf("%T", t),
		sig:  signatureOf(reflect.TypeFor[T]()),
		none: f == nil,
	}
	op.reducer = reducer{
		fold: func(in, inout []byte) { f(elements[T](in), elements[T](inout)) },
		size: sizeOf[T](),
		code: uint32(opUser),
	}
	op.reducer.typ = codeOfSignature(op.sig)
	for _, o := range options {
		o(op)
	}
	if op.reducer.commutative {
		op.reducer.code = uint32(opCommutes)
	}
	return op
}

// noFunction is the error of a call with an operation without a function.
func (c *Comm) noFunction(s site) error {
	return c.errorAt(s, ErrOp, "the function of the operation is nil; pass one to OpFunc")
}

// findReducer returns how op combines elements of type e.
func (c *Comm) findReducer(s site, op Op, e *elem) (*reducer, error) {
	switch op := op.(type) {
	case Predefined:
		if op < numPredefined && e.ops[op] != nil {
			return e.ops[op], nil
		}
	case *userOp:
		if op.none {
			return nil, c.noFunction(s)
		}
		if op.word == e.word {
			return &op.reducer, nil
		}
		return nil, c.errorAt(s, ErrOp, "the operation combines elements of type %s, the buffers hold %s", op.elem, e.name)
	case nil:
		return nil, c.errorAt(s, ErrOp, "the operation is nil; pass Sum, another of the predefined ones, or an OpFunc")
	}
	return nil, c.errorAt(s, ErrOp, "%s is not defined for elements of type %s; see mpi.Op, or use OpFunc", op, e.name)
}
