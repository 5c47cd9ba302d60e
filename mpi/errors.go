package mpi

import (
	"fmt"
	"strings"
)

// A Class says what kind of mistake or failure an [Error] reports. Every class is
// itself an error: errors.Is(err, mpi.ErrTruncate) tests for it.
//
// MPI 4.1, section 9.4.
type Class uint8

// The error classes.
const (
	ErrOther             Class = iota // the network or the launcher failed; see Error.Err
	ErrTruncate                       // a message is longer than the buffer
	ErrRank                           // no such rank in the communicator
	ErrTag                            // tag out of range
	ErrRoot                           // no such root in the communicator
	ErrCount                          // lengths that do not match
	ErrOp                             // operation not defined for the element type
	ErrType                           // element type that cannot travel, or bytes that are no whole elements
	ErrComm                           // nil, freed or broken communicator, or none left
	ErrFinalized                      // use after Finalize
	ErrBuffer                         // buffers that overlap, or were changed, or have no room
	ErrArg                            // another argument out of range
	ErrPending                        // requests never completed, or messages never received
	ErrInit                           // the job could not be set up
	ErrCancelled                      // the communicator's context ended
	ErrMismatch                       // ranks of a communicator are in different collective calls
	ErrRequest                        // a request that does not allow the call
	ErrGroup                          // a group that does not allow the call
	ErrTopology                       // no topology, or another one
	ErrKeyval                         // a key of attributes that was freed
	ErrWin                            // nil or freed window
	ErrSize                           // an invalid size of a window's memory
	ErrAssert                         // an assertion that does not apply to the call
	ErrLockType                       // neither LockShared nor LockExclusive
	ErrRMASync                        // access to a window outside of an epoch, or a call that does not match the epoch
	ErrRMARange                       // access outside of a rank's memory in a window
	ErrRMAAttach                      // memory that cannot be attached or detached
	ErrRMAShared                      // memory of a window that cannot be shared
	ErrLayout                         // an invalid layout, or one that does not fit the slice
	ErrProcFailed                     // a rank that the call needs has died
	ErrProcFailedPending              // a rank has died that may be the sender of a receive, which stays active
	ErrRevoked                        // the communicator has been revoked
	ErrUnsupported                    // not in this job
	ErrSession                        // nil or finalized session, or one that is still in use
	ErrBase                           // memory that AllocMem has not returned
	ErrNoMem                          // more memory than there can be
	ErrInfoValue                      // invalid value of a key
	ErrRMAConflict                    // conflicting accesses to one location of a window in one epoch
	ErrRMAFlavor                      // a window that was made in a way that does not allow the call
)

// Error returns the name of the class.
func (c Class) Error() string {
	switch c {
	case ErrOther:
		return "transport failure"
	case ErrTruncate:
		return "message truncated"
	case ErrRank:
		return "invalid rank"
	case ErrTag:
		return "invalid tag"
	case ErrRoot:
		return "invalid root"
	case ErrCount:
		return "invalid count"
	case ErrOp:
		return "invalid operation"
	case ErrType:
		return "invalid element type"
	case ErrComm:
		return "invalid communicator"
	case ErrFinalized:
		return "already finalized"
	case ErrBuffer:
		return "invalid buffer"
	case ErrArg:
		return "invalid argument"
	case ErrPending:
		return "pending requests"
	case ErrInit:
		return "not initialized"
	case ErrCancelled:
		return "cancelled"
	case ErrMismatch:
		return "collective calls differ"
	case ErrRequest:
		return "invalid request"
	case ErrGroup:
		return "invalid group"
	case ErrTopology:
		return "invalid topology"
	case ErrKeyval:
		return "invalid key"
	case ErrWin:
		return "invalid window"
	case ErrSize:
		return "invalid size"
	case ErrAssert:
		return "invalid assertion"
	case ErrLockType:
		return "invalid lock type"
	case ErrRMASync:
		return "wrong synchronization of a window"
	case ErrRMARange:
		return "outside of a window"
	case ErrRMAAttach:
		return "memory cannot be attached"
	case ErrRMAShared:
		return "memory cannot be shared"
	case ErrRMAFlavor:
		return "window of another flavor"
	case ErrRMAConflict:
		return "conflicting accesses to a window"
	case ErrLayout:
		return "invalid layout"
	case ErrProcFailed:
		return "process failed"
	case ErrProcFailedPending:
		return "process failed, operation pending"
	case ErrRevoked:
		return "communicator revoked"
	case ErrUnsupported:
		return "not supported"
	case ErrSession:
		return "invalid session"
	case ErrBase:
		return "invalid memory"
	case ErrNoMem:
		return "no memory"
	case ErrInfoValue:
		return "invalid value of a key"
	}
	return fmt.Sprintf("class %d", uint8(c))
}

// An Error is the error that every call of this package returns when it fails.
//
// MPI 4.1, section 9.4.
type Error struct {
	Class Class
	Call  string // name of the call, like "Recv"
	Comm  string // name of the communicator
	Peer  int    // rank of the peer or the root, AnySource, or Undefined if there is none
	Tag   int    // AnyTag, or Undefined if there is none
	Bytes int64  // bytes of the message, where known
	Room  int64  // bytes of the buffer, where known
	Err   error  // cause, or nil

	role  role
	text  string
	items bool // the only reason is that the buffers are layouts

	raised bool // a handler has been called with it
}

// Error says in one sentence what failed, with the values, and what to do about it.
func (e *Error) Error() string {
	var b strings.Builder
	b.WriteString("mpi: ")
	b.WriteString(e.Call)
	if e.Comm != "" {
		fmt.Fprintf(&b, " on %s", e.Comm)
	}
	switch {
	case e.role == rootPeer && e.Peer == Root:
		b.WriteString(" at the root")
	case e.role == rootPeer && e.Peer == ProcNull:
		b.WriteString(" beside the root")
	case e.role != noPeer:
		b.WriteString(e.role.preposition())
		switch {
		case e.role == fromPeer && e.Peer == AnySource:
			b.WriteString("any source")
		case e.role != noPeer && e.Peer == ProcNull:
			b.WriteString("ProcNull")
		default:
			fmt.Fprintf(&b, "%d", e.Peer)
		}
	}
	if e.Tag == AnyTag && e.role == fromPeer {
		b.WriteString(" any tag")
	} else if e.Tag != Undefined {
		fmt.Fprintf(&b, " tag %d", e.Tag)
	}
	b.WriteString(": ")
	b.WriteString(e.text)
	if e.Err != nil {
		if e.text != "" {
			b.WriteString(": ")
		}
		b.WriteString(e.Err.Error())
	}
	return b.String()
}

// Unwrap makes errors.Is and errors.As see the class and the cause.
func (e *Error) Unwrap() []error {
	if e.Err == nil {
		return []error{e.Class}
	}
	return []error{e.Class, e.Err}
}

// A role says what Error.Peer means.
type role uint8

const (
	noPeer role = iota
	toPeer
	fromPeer
	rootPeer
)

func (r role) preposition() string {
	switch r {
	case toPeer:
		return " to "
	case fromPeer:
		return " from "
	}
	return " root "
}

// A site is a call with the values that its errors mention.
type site struct {
	call string
	role role
	peer int
	tag  int
}

// at is the site of a call without peer and tag.
func at(call string) site { return site{call, noPeer, Undefined, Undefined} }

// atRoot is the site of a collective call with a root.
func atRoot(call string, root int) site { return site{call, rootPeer, root, Undefined} }

// errorAt builds the error of class at s on c, which may be nil.
func (c *Comm) errorAt(s site, class Class, format string, args ...any) *Error {
	e := &Error{Class: class, Call: s.call, Peer: s.peer, Tag: s.tag, role: s.role, text: fmt.Sprintf(format, args...)}
	if !c.isNull() {
		e.Comm = c.name
	}
	return e
}

// because is errorAt with a cause.
func (c *Comm) because(s site, class Class, cause error, text string) *Error {
	e := c.errorAt(s, class, "%s", text)
	e.Err = cause
	return e
}
