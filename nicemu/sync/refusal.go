package sync

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why a request was refused, or 0. It is an error itself, so that errors.Is(err,
// sync.WrongJob) works.
type Reason uint8

// The reasons, in the order of the checks: at the sender, at the receiver, at the barrier
// controllers.
const (
	reasonNone  Reason = iota
	Closed             // the NIC is closed
	NoNode             // no such node
	WrongJob           // the node belongs to another job, or its RP was not started
	NoBuffer           // no buffer of that number was assigned
	Overwritten        // the table of buffers is not as the manager wrote it
	Outside            // beyond the buffer
	Misaligned         // not an aligned word
	QueueFull          // the event queue has no room; the packet may be sent again
	QueueBroken        // pointers of the event queue are invalid
	NoLock             // the RP has no such lock, or none is free
	LockFull           // more nodes request a lock than the FIFO holds
	LockBroken         // pointers of the lock's FIFO are invalid
	NotHolder          // a lock was released by a node that does not have it
	NoFlag             // no such flag, or too long for one
	NoSequence         // the barrier controllers have no such sequence
	NoMember           // a member is no node of the job, is named twice, or is not this node where it must be
	PastPlace          // the sequence is beyond that place
	Waiting            // a code was executed while another one waits
	Ended              // a code after the last one
	WrongSkip          // Set_d is neither 1 to 65535 nor Never
	numReasons
)

var reasonTexts = [numReasons]string{
	Closed:      "the NIC is closed",
	NoNode:      "no such node",
	WrongJob:    "another job, or not started",
	NoBuffer:    "no such buffer",
	Overwritten: "the table of buffers has been overwritten",
	Outside:     "beyond the buffer",
	Misaligned:  "not aligned",
	QueueFull:   "the event queue is full",
	QueueBroken: "the event queue has been overwritten",
	NoLock:      "no such lock, or none that is free",
	LockFull:    "the lock's queue is full",
	LockBroken:  "the lock's queue has been overwritten",
	NotHolder:   "the lock is another's",
	NoFlag:      "no such flag",
	NoSequence:  "no such sequence of codes",
	NoMember:    "impossible list of members",
	PastPlace:   "the sequence has gone beyond that place",
	Waiting:     "an earlier code waits",
	Ended:       "there was a last code",
	WrongSkip:   "impossible Set_d",
}

// Error returns the reason in a few words.
func (r Reason) Error() string { return dma.Word("reason", r, reasonTexts[:]) }

// Arrived reports whether the receiver of a packet finds the reason, and counts it.
func (r Reason) Arrived() bool { return r >= WrongJob && r <= NotHolder }

// A Refusal is the error of a request that a NIC did not carry out. No byte of it has moved.
type Refusal struct {
	What   string // the request
	Node   int
	Reason Reason
}

// Error says what was refused, where and why.
func (r *Refusal) Error() string {
	return fmt.Sprintf("sync: %s, node %d: %v", r.What, r.Node, r.Reason)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }

// refuse counts at this node, and a receiver's reason at the receiver.
func (n *NIC) refuse(what string, to int, why Reason) error {
	if why.Arrived() {
		atomic.AddUint64(&nodeOf(n.f, to).public[pubRefused+int(why)], 1)
	}
	n.own.tables[regRefused+int(why)]++
	return &Refusal{What: what, Node: to, Reason: why}
}

// Refused returns the numbers of refusals for a reason: of requests of this process, and of packets
// that arrived.
func (n *NIC) Refused(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return n.own.tables[regRefused+int(r)], atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}
