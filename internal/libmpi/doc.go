// Package libmpi binds the part of another MPI's library that programs with messages and the usual
// collective calls need: so the same program runs on several of them, and only communication differs.
//
// The library is loaded at run time, through a shim in C ([Source]) that is compiled with the library's own
// compiler driver. Only programs built with the tag peers can do that, because importing a package that
// loads libraries makes a binary dynamic. Messages are bytes. Ranks are those of the communicator. Buffers
// on Go's heap do not move; the caller keeps those of a transfer alive until it is complete.
package libmpi

import (
	_ "embed"
	"errors"
)

// Variable is the environment variable that names the compiled shim of the library to use.
const Variable = "RHINET_LIBMPI"

// Source is the shim, to be compiled by mpicc -shared -fPIC.
//
//go:embed c/shim.c
var Source []byte

// ErrUnavailable reports that there is no such library in this program or on this host.
var ErrUnavailable = errors.New("no library of another MPI can be used")

// ErrBusy reports a call that began during another call: the library was initialized for one thread at a
// time (MPI_THREAD_SERIALIZED), as in C programs that are to be fast.
var ErrBusy = errors.New("two goroutines call MPI at once, which the library of another MPI is not made ready for; call from one at a time")

// ErrTag reports a tag that the library does not support.
var ErrTag = errors.New("the tag is larger than the library takes")

// Any stands for any source or any tag.
const Any = -1

// Most is how many transfers one call can wait for.
const Most = 64

// An Error is an error of the library.
type Error struct {
	Library string
	Call    string
	Text    string // the library's text
	TooLong bool   // a message is longer than the buffer
}

func (e *Error) Error() string { return e.Library + ": MPI_" + e.Call + ": " + e.Text }

// A Comm is a communicator of the library.
type Comm int64

// A Transfer is a transfer that was begun; a call that completes it sets its result. Source, Tag and Bytes
// are only set for a receive.
type Transfer struct {
	Request     int64 // the library's
	Source, Tag int64
	Bytes       int64
	Code        int64 // of the library; 0: no error
}

// An Op is a reduction. Kinds of numbers are those of package reflect. Operations are numbered from 1 in
// the order of the standard: sum, product, minimum, maximum, logical and, or, exclusive or, and the same
// for bits.
//
// MPI 4.1, section 6.9.2.
type Op struct{ Kind, Operation int }

// A Kind is a collective operation.
type Kind int

// The available collective operations.
//
// MPI 4.1, chapter 6.
const (
	Barrier Kind = iota
	Bcast
	Reduce
	Allreduce
	Scan
	Gather
	Scatter
	Allgather
	Alltoall
	Alltoallv
	numKinds
)

// A Collective is a collective call. Counts and displacements are in bytes, except Count of a reduction,
// which is in elements; in other calls Count is what one rank gives or gets.
type Collective struct {
	Kind       Kind
	Comm       Comm
	Root       int
	Send, Recv []byte // Bcast uses Recv
	InPlace    bool   // the input of this rank is in Recv, or its output of Scatter in Send
	Count      int
	Op         Op

	SendCounts, SendDispls, RecvCounts, RecvDispls []int32
}
