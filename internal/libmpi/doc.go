// Package libmpi binds as much of another MPI's library as programs need that use
// messages and the usual collective calls: so the same program runs on several of them, and
// only communication differs.
//
// The library is loaded at run time, with a shim in C between ([Source]) that its own compiler
// driver has compiled, and only programs that are built with the tag peers can: importing what
// loads libraries makes a binary dynamic. Messages are bytes. Ranks are those of
// the communicator. Buffers of Go's heap stay where they are; the caller keeps those of a
// transfer alive until it is complete.
package libmpi

import (
	_ "embed"
	"errors"
)

// Variable is the environment variable that names the compiled shim of the library on which a
// program is to run.
const Variable = "RHINET_LIBMPI"

// Source is the shim: mpicc -shared -fPIC.
//
//go:embed c/shim.c
var Source []byte

// ErrUnavailable reports that there is no such library in this program or on this host.
var ErrUnavailable = errors.New("no library of another MPI can be used")

// ErrBusy reports a call that began while another one was under way: the library was
// initialized for one thread at a time (MPI_THREAD_SERIALIZED), as programs in C are that are
// to be fast.
var ErrBusy = errors.New("two goroutines call MPI at once, which the library of another MPI is not made ready for; call from one at a time")

// ErrTag reports a tag that the library does not take.
var ErrTag = errors.New("the tag is larger than the library takes")

// Any is any source or any tag.
const Any = -1

// Most is how many transfers one call waits for.
const Most = 64

// An Error is a refusal of the library.
type Error struct {
	Library string
	Call    string
	Text    string // in the words of the library
	TooLong bool   // a message is longer than the buffer
}

func (e *Error) Error() string { return e.Library + ": MPI_" + e.Call + ": " + e.Text }

// A Comm is a communicator of the library.
type Comm int64

// A Transfer is one that was begun and, after a call that completes it, what has become of it.
// Only that of a receive says whose message it was.
type Transfer struct {
	Request     int64 // the library's
	Source, Tag int64
	Bytes       int64
	Code        int64 // of the library; 0: no error
}

// An Op is a reduction: kinds of numbers are those of package reflect, and operations in the
// order of the standard, from 1: sum, product, minimum, maximum, logical and, or, exclusive or,
// and the same of bits.
//
// MPI 4.1, section 6.9.2.
type Op struct{ Kind, Operation int }

// A Kind is a collective operation.
type Kind int

// The collective operations that are bound.
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

// A Collective is a collective call. Counts and displacements are bytes, but Count in
// reductions is of elements; elsewhere it is what one rank gives or gets.
type Collective struct {
	Kind       Kind
	Comm       Comm
	Root       int
	Send, Recv []byte // of Bcast Recv
	InPlace    bool   // what this rank gives lies in Recv, or what it gets of Scatter in Send
	Count      int
	Op         Op

	SendCounts, SendDispls, RecvCounts, RecvDispls []int32
}
