package mpi

import "sync/atomic"

// An ErrorClass is a class of errors: a [Class], or a [UserClass] of the program.
//
// MPI 4.1, section 9.5.
type ErrorClass interface {
	error
	isClass()
}

func (Class) isClass()      {}
func (*UserClass) isClass() {}

// A UserClass is a class of errors of the program or of a library, for errors.Is. It is
// a Go value, so there is no number of the last one used, and the garbage collector
// removes it (MPI_Remove_error_class).
//
// MPI 4.1, section 9.5.
type UserClass struct{ text errorText }

// NewErrorClass makes a class of errors, which text describes.
//
// MPI 4.1, section 9.5 (MPI_Add_error_class, MPI_Add_error_string).
func NewErrorClass(text string) *UserClass {
	k := new(UserClass)
	k.SetString(text)
	return k
}

// Error returns the text of the class.
func (k *UserClass) Error() string {
	if k == nil {
		return ""
	}
	return k.text.String()
}

// SetString sets the text of the class; an empty one removes it.
//
// MPI 4.1, section 9.5 (MPI_Add_error_string, MPI_Remove_error_string).
func (k *UserClass) SetString(text string) { k.text.Store(&text) }

// An ErrorCode is an error of the program that belongs to a class: errors.Is finds both
// in a returned error.
//
// MPI 4.1, section 9.5.
type ErrorCode struct {
	class ErrorClass
	text  errorText
}

// NewErrorCode makes an error code of a class of the program, or of a predefined one,
// which text describes.
//
// MPI 4.1, section 9.5 (MPI_Add_error_code, MPI_Add_error_string).
func NewErrorCode(class ErrorClass, text string) *ErrorCode {
	k := &ErrorCode{class: class}
	k.SetString(text)
	return k
}

// Error returns the text of the code.
func (k *ErrorCode) Error() string {
	if k == nil {
		return ""
	}
	return k.text.String()
}

// SetString sets the text of the code; an empty one removes it.
//
// MPI 4.1, section 9.5 (MPI_Add_error_string, MPI_Remove_error_string).
func (k *ErrorCode) SetString(text string) { k.text.Store(&text) }

// Unwrap returns the class.
//
// MPI 4.1, section 9.4 (MPI_Error_class).
func (k *ErrorCode) Unwrap() error { return k.class }

// An errorText is a text that may change while it is read.
type errorText struct{ atomic.Pointer[string] }

func (t *errorText) String() string {
	if s := t.Load(); s != nil {
		return *s
	}
	return ""
}
