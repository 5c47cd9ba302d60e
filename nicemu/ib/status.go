package ib

import (
	"fmt"

	"rhinet/nicemu/dma"
)

// A Status is the status of a work completion (infiniband, section 11.6). It is an error itself, so
// that errors.Is(err, ib.RetryExceeded) works.
type Status uint8

// The statuses.
const (
	Success              Status = iota
	LocalLength                 // a message does not fit its source or its target
	LocalProtection             // this side's memory is not registered for it
	Flushed                     // the queue pair is in ERR
	RemoteInvalidRequest        // the responder cannot carry it out: wrong length or alignment
	RemoteAccess                // the responder's memory is not registered for it
	RemoteOperation             // the responder failed to carry it out
	RetryExceeded               // no answer from the other side
	RNRRetryExceeded            // the responder has no receive posted
	numStatuses
)

var statusTexts = [numStatuses]string{
	Success:              "success",
	LocalLength:          "local length error",
	LocalProtection:      "local protection error",
	Flushed:              "work request flushed",
	RemoteInvalidRequest: "remote invalid request error",
	RemoteAccess:         "remote access error",
	RemoteOperation:      "remote operation error",
	RetryExceeded:        "transport retry counter exceeded",
	RNRRetryExceeded:     "RNR retry counter exceeded",
}

// Error returns the status in the words of the specification.
func (s Status) Error() string { return dma.Word("status", s, statusTexts[:]) }

// A Reason is more precise than a status: it is what the adapter found (the vendor's part of a
// completion).
type Reason uint8

// The reasons.
const (
	reasonNone   Reason = iota
	NoPort              // no such LID, or its port is down
	NoQP                // the QPN names no queue pair there
	OtherPeer           // that queue pair is connected to another one
	NotReady            // that queue pair is in no state to receive
	WrongQKey           // a datagram with another Q_Key
	NoRegion            // the key names no region
	Stale               // the region has been deregistered
	WrongDomain         // the region is of another protection domain
	NoRight             // the region, or the queue pair, does not allow such access
	BeyondRegion        // not all of it lies in the region
	Misaligned          // an atomic operation on something other than an aligned word
	NoReceive           // no receive is posted, or there is no room for its completion
	TooLong             // longer than the receive, or than the maximum
	Overwritten         // a table entry is not what its owner wrote
	NoAttach            // the kernel does not let processes read each other's memory, or attach is off
	Gone                // the process has ended
	Fault               // the memory is registered but not mapped
	InError             // the queue pair is in ERR
	numReasons
)

// reasons has the text of each reason, and the status that the requester sees if the responder
// finds it.
var reasons = [numReasons]struct {
	text   string
	status Status
}{
	NoPort:       {"no such port, or it is down", RetryExceeded},
	NoQP:         {"no such queue pair", RetryExceeded},
	OtherPeer:    {"the queue pair is connected with another one", RetryExceeded},
	NotReady:     {"the queue pair is not ready to receive", RetryExceeded},
	WrongQKey:    {"wrong Q_Key", Success},
	NoRegion:     {"the key names no region", RemoteAccess},
	Stale:        {"the region has been deregistered", RemoteAccess},
	WrongDomain:  {"the region is of another protection domain", RemoteAccess},
	NoRight:      {"no right to such access", RemoteAccess},
	BeyondRegion: {"beyond the region's end", RemoteAccess},
	Misaligned:   {"atomic operation on what is no aligned word", RemoteInvalidRequest},
	NoReceive:    {"no receive is posted", RNRRetryExceeded},
	TooLong:      {"message too long", RemoteInvalidRequest},
	Overwritten:  {"a table entry has been overwritten", RemoteAccess},
	NoAttach:     {"cross-memory attach is not permitted", RemoteOperation},
	Gone:         {"process has ended", RetryExceeded},
	Fault:        {"memory is not mapped", RemoteOperation},
	InError:      {"the queue pair is in ERR", Flushed},
}

// Error returns the reason in a few words.
func (r Reason) Error() string {
	if r < numReasons {
		return reasons[r].text
	}
	return fmt.Sprintf("reason %d", uint8(r))
}

// A Failure is the error of a request that was not carried out. No byte has moved unless Moved says
// so: that happens when memory disappears during a transfer.
type Failure struct {
	Op     Opcode
	Rank   int // of the other side, by its LID
	Status Status
	Reason Reason
	Moved  int
	Cause  error // the kernel's, if it had one
}

// Error describes the request and why it failed.
func (f *Failure) Error() string {
	return dma.Broken(fmt.Sprintf("ib: %v to rank %d: %v: %v", f.Op, f.Rank, f.Status, f.Reason), f.Moved, f.Cause)
}

// Unwrap returns status and reason, the cause, and fs.ErrPermission if another way of moving the
// bytes may work.
func (f *Failure) Unwrap() []error {
	return dma.Reasons(f.Reason == NoAttach, f.Cause, f.Status, f.Reason)
}
