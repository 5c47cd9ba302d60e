package cenju4

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why a parcel was refused, or 0. It stands for an error or an interrupt to the OS
// (cenju4, section 8); the OS does not resolve any, since a task may only access what is in its
// tables. A Reason is an error itself, so that errors.Is(err, cenju4.Stale) works.
type Reason uint8

// The reasons, in the order of the checks: at RHM, in address translation at either side, at the
// Receiver; the last ones are of system calls.
const (
	reasonNone   Reason = iota
	Closed              // the NIC is closed
	NoProtocol          // no such packet type or protocol, or not together
	Privileged          // supervisor mode in a queue of a task
	WrongLength         // more bytes than the protocol carries
	Misplaced           // the hardware cannot move between these places
	BeyondTable         // the destination is beyond the maximum offset of its table
	NoEntry             // the table entry is empty
	NoNode              // no such node, or it is not up
	Pending             // the node's last synchronization with this sid has not ended
	NoSet               // the sid belongs to another set
	NoTask              // the node does not run this cid
	NoSegment           // the page is outside the limits of its segment
	NoPage              // the page was never mapped
	Stale               // it has been unmapped
	NoRight             // the page table does not allow it
	Beyond              // not all of it is in one mapping
	NoAccess            // the kernel does not let processes read each other's memory, or attach is off
	BufferFull          // the message buffer has no room; the parcel may be sent again
	BufferBroken        // the pointers of the message buffer are invalid
	Gone                // the process has ended
	Fault               // the memory is mapped but does not exist
	TableFull           // no entry, page or header is free
	InUse               // a transfer that does not end holds the memory
	Misuse              // this task unmapped something it has not mapped
	OtherGroup          // the nodes of a multicast are not in one group of 64
	TooLarge            // synchronization packets need a system of at most 64 nodes
	SidTaken            // the sid belongs to another set
	NoMember            // a set without this node, or with a node that does not exist
	numReasons
)

var reasonTexts = [numReasons]string{
	Closed:       "the NIC is closed",
	NoProtocol:   "no such kind of parcel",
	Privileged:   "supervisor mode is the OS's",
	WrongLength:  "impossible length",
	Misplaced:    "source and destination do not fit each other",
	BeyondTable:  "destination beyond the end of its table",
	NoEntry:      "the table has no such entry",
	NoNode:       "no such node",
	Pending:      "the last synchronization with this ID has not ended",
	NoSet:        "the synchronization ID is of another set",
	NoTask:       "the node does not run this task",
	NoSegment:    "outside the limits of the segment",
	NoPage:       "the page is not mapped",
	Stale:        "the page has been unmapped",
	NoRight:      "the page table does not allow it",
	Beyond:       "beyond the end of the mapping",
	NoAccess:     "cross-memory attach is not permitted",
	BufferFull:   "the message buffer is full",
	BufferBroken: "the message buffer has been overwritten",
	Gone:         "process has ended",
	Fault:        "memory is not there",
	TableFull:    "table is full",
	InUse:        "transfer under way does not end",
	Misuse:       "not mapped",
	OtherGroup:   "the nodes of a multicast must be in one group of 64",
	TooLarge:     "synchronization packets are for systems of at most 64 nodes",
	SidTaken:     "the synchronization ID is taken",
	NoMember:     "not a set of nodes with this one",
}

// Error returns the reason in a few words.
func (r Reason) Error() string { return dma.Word("reason", r, reasonTexts[:]) }

// A Refusal is the error of a request that a NIC did not carry out. No byte has moved unless Moved
// says so: that happens when memory disappears during a transfer.
type Refusal struct {
	Protocol Protocol // noProtocol: a system call, or a synchronization
	Node     int      // the node that refused
	Address  Address  // the address there, if any
	Bytes    int
	Moved    int
	Reason   Reason
	Cause    error // the kernel's, if it had one
}

// Error describes the parcel and why it was refused.
func (r *Refusal) Error() string {
	return dma.Broken(fmt.Sprintf("cenju4: %v of %d bytes, node %d address %v: %v", r.Protocol, r.Bytes, r.Node, r.Address, r.Reason), r.Moved, r.Cause)
}

// Unwrap returns the reason, its cause, and fs.ErrPermission if another way of moving the bytes may
// work.
func (r *Refusal) Unwrap() []error {
	return dma.Reasons(r.Reason == NoAccess || r.Reason == TableFull, r.Cause, r.Reason)
}

// refuse counts r at this node, and at the node that refused it if that is another. It takes a
// value, so that parcels that are not refused do not allocate.
func (n *NIC) refuse(r Refusal) error {
	atomic.AddUint64(&n.own.tables[regRefused+int(r.Reason)], 1)
	if r.Node != n.rank && uint(r.Node) < uint(n.ranks) {
		atomic.AddUint64(&nodeOf(n.f, r.Node).public[pubRefused+int(r.Reason)], 1)
	}
	return &r
}

// Refused returns the numbers of refusals for a reason: of parcels and system calls of this node,
// and of parcels of other nodes here.
func (n *NIC) Refused(r Reason) (own, others uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&n.own.tables[regRefused+int(r)]), atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}
