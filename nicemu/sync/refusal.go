package sync

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why a request was refused, or 0. It is an error of its own, so that
// errors.Is(err, sync.WrongJob) works.
type Reason uint8

// The reasons, in the order in which they are met: at the sender, at the receiver, at the barrier controllers.
const (
	reasonNone  Reason = iota
	Closed             // the NIC is closed
	NoNode             // no such node
	WrongJob           // the node belongs to another job, or its RP was not started
	NoBuffer           // no buffer of that number was assigned
	Overwritten        // the table of buffers is not as the manager wrote it
	Outside            // beyond the buffer
	Misaligned         // a word that is none
	QueueFull          // the event queue has no room; the packet may be sent again
	QueueBroken        // pointers of the event queue cannot be right
	NoLock             // the RP keeps no such lock, or none is free
	LockFull           // more nodes ask for a lock than the RP keeps
	LockBroken         // pointers of the lock's FIFO cannot be right
	NotHolder          // who gives a lock back has not got it
	NoFlag             // no such flag, or too long for one
	NoSequence         // the barrier controllers keep no such sequence
	NoMember           // who takes part is no node of the job, or not the own one, or named twice
	PastPlace          // the sequence is beyond that place
	Waiting            // a code is executed while one waits
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

// Arrived reports whether the receiver of a packet finds the reason out, and counts it.
func (r Reason) Arrived() bool { return r >= WrongJob && r <= NotHolder }

// A Refusal is the error of what a NIC did not do. Not a byte of it has moved.
type Refusal struct {
	What   string // was asked for
	Node   int
	Reason Reason
}

// Error says what was refused, where and why.
func (r *Refusal) Error() string {
	return fmt.Sprintf("sync: %s, node %d: %v", r.What, r.Node, r.Reason)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }

// refuse counts at this node, and at the receiver what that finds out.
func (n *NIC) refuse(what string, to int, why Reason) error {
	if why.Arrived() {
		atomic.AddUint64(&nodeOf(n.f, to).public[pubRefused+int(why)], 1)
	}
	n.own.tables[regRefused+int(why)]++
	return &Refusal{What: what, Node: to, Reason: why}
}

// Refused returns how many requests of this process were refused for a reason, and how many packets that
// arrived.
func (n *NIC) Refused(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return n.own.tables[regRefused+int(r)], atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}
