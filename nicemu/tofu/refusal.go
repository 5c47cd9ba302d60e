package tofu

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why an order was refused, or 0. It is an error itself, so that errors.Is(err,
// tofu.Stale) works.
type Reason uint8

// The reasons, in the order of the checks: the first five at the injection port, the others at the
// target.
const (
	reasonNone  Reason = iota
	Closed             // the NIC is closed
	NoCommand          // no such command
	WrongLength        // more bytes than an order can carry or move
	Misplaced          // a swap or a line that is not aligned
	NoNode             // no such node, or its NIC is not up
	NoTag              // the tag is not registered
	Stale              // the tag has been withdrawn
	WrongJob           // it names memory of another job
	Overwritten        // the table entry is not what its owner wrote
	NoRight            // the rights do not include this command
	Beyond             // not all of it lies in the registered memory
	NoAccess           // the kernel does not let processes read each other's memory, or attach is off
	QueueFull          // the target's queue of notices has no room; the order may be posted again
	QueueBroken        // the target's queue of notices cannot be used any more
	Gone               // the process has ended
	Fault              // the memory is registered but not mapped
	TableFull          // no tag is free
	InUse              // a transfer that does not end holds the memory
	Misuse             // this rank withdrew something it does not have
	numReasons
)

var reasonTexts = [numReasons]string{
	Closed:      "the NIC is closed",
	NoCommand:   "no such command",
	WrongLength: "impossible length",
	Misplaced:   "not aligned",
	NoNode:      "no such node",
	NoTag:       "no such tag",
	Stale:       "the tag has been withdrawn",
	WrongJob:    "tag of another job",
	Overwritten: "the table entry has been overwritten",
	NoRight:     "the tag does not allow it",
	Beyond:      "beyond the end of the registered memory",
	NoAccess:    "cross-memory attach is not permitted",
	QueueFull:   "the queue of notices is full",
	QueueBroken: "the queue of notices has been overwritten",
	Gone:        "process has ended",
	Fault:       "memory is not mapped",
	TableFull:   "table is full",
	InUse:       "transfer under way does not end",
	Misuse:      "not registered",
}

// Error returns the reason in a few words.
func (r Reason) Error() string { return dma.Word("reason", r, reasonTexts[:]) }

// arrived reports whether the target finds the reason, and counts it.
func (r Reason) arrived() bool { return r > NoNode && r <= Fault }

// A Refusal is the error of an order that a NIC did not carry out. No byte has moved unless Moved
// says so: that happens when memory disappears during a transfer.
type Refusal struct {
	Command Command
	Node    int // the target node
	Tag     Tag
	Offset  uint64
	Bytes   int
	Moved   int
	Reason  Reason
	Cause   error // the kernel's, if it had one
}

// Error describes the order and why it was refused.
func (r *Refusal) Error() string {
	return dma.Broken(fmt.Sprintf("tofu: %v of %d bytes, node %d tag %v offset %d: %v", r.Command, r.Bytes, r.Node, r.Tag, r.Offset, r.Reason), r.Moved, r.Cause)
}

// Unwrap returns the reason, its cause, and fs.ErrPermission if another way of moving the bytes may
// work.
func (r *Refusal) Unwrap() []error {
	return dma.Reasons(r.Reason == NoAccess, r.Cause, r.Reason)
}

// refuse counts r at this node, and at the target if the order got that far. It takes a value, so
// that orders that are not refused do not allocate.
func (n *NIC) refuse(r Refusal) error {
	atomic.AddUint64(&n.own.tables[regRefused+int(r.Reason)], 1)
	if r.Reason.arrived() && uint(r.Node) < uint(n.ranks) {
		atomic.AddUint64(&nodeOf(n.f, r.Node).public[pubRefused+int(r.Reason)], 1)
	}
	return &r
}

// Refused returns the numbers of refusals for a reason: of orders of this node, and of orders that
// arrived here.
func (n *NIC) Refused(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&n.own.tables[regRefused+int(r)]), atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}
