package martini

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why a NIC refused a request. It is an error itself, so that errors.Is(err,
// martini.Stale) works.
type Reason uint8

// The reasons.
const (
	reasonNone     Reason = iota
	InvalidWindow         // the Window has no owner (10.7, PGID)
	SpecialRequest        // neither PUSH, PULL nor BOTF (10.7, IDLE)
	SpecialPacket         // of a type that firmware does not know (10.8, FLIT3)
	WrongLength           // longer than a Window, a packet or an address can hold
	NoNode                // no such node, or its NIC cannot be started
	NoSegment             // the SID is not registered, or names memory of another process (10.8, RVA)
	WrongJob              // the SID names memory of another job (1.9)
	Stale                 // the segment has been withdrawn
	BeyondSegment         // not all of it lies in the segment
	NotPinned             // not all of it lies in pinned pages (10.7, IPA2)
	NoAccess              // the kernel does not let processes read each other's memory, or attach is off
	Fault                 // the memory is pinned but not mapped
	Gone                  // the process has ended
	TableFull             // no entry is free
	InUse                 // a transfer that will not end holds the memory
	Misuse                // this rank withdrew something it does not have
	NoHeader              // the written page of the AOTF area has no header
	NoLock                // the process has no such lock, or does not represent it (9.2)
	LockWanted            // LOCK of a lock that the process holds, or waits for
	LockFree              // UNLOCK of a lock that the process does not hold
	Overwritten           // an entry of the target's tables is not what its owner wrote
	ForgedLock            // a lock packet that its sender's firmware did not make, or not in this form
	NoRoom                // the VPUSH ring is full (11.2); the request may be repeated
	numReasons
)

var reasonTexts = [numReasons]string{
	InvalidWindow:  "the window belongs to no process, or its NIC is closed",
	SpecialRequest: "neither PUSH, PULL nor BOTF",
	SpecialPacket:  "packet of unknown type",
	WrongLength:    "impossible length",
	NoNode:         "no such node",
	NoSegment:      "no such segment",
	WrongJob:       "segment of another job",
	Stale:          "segment has been withdrawn",
	BeyondSegment:  "beyond the segment's end",
	NotPinned:      "outside pinned pages",
	NoAccess:       "cross-memory attach is not permitted",
	Fault:          "memory is not mapped",
	Gone:           "process has ended",
	TableFull:      "table is full",
	InUse:          "transfer under way does not end",
	Misuse:         "not registered",
	NoHeader:       "no header is registered for the page",
	NoLock:         "no such lock",
	LockWanted:     "the lock is held, or wanted, already",
	LockFree:       "the lock is not held",
	Overwritten:    "the table entry has been overwritten",
	ForgedLock:     "lock packet that no firmware made",
	NoRoom:         "the VPUSH ring is full",
}

// Error returns the reason in a few words.
func (r Reason) Error() string { return dma.Word("reason", r, reasonTexts[:]) }

// A Refusal is the error of a request that a NIC did not carry out. No byte has moved unless Moved
// says so: that happens when memory disappears during a transfer, and when a later page of a
// request is not pinned. A request is sent packet by packet (martini, section 4.4), and a NIC
// refuses a packet or a page of it (sections 8.2, 10.7, 10.8); nothing after that arrives.
type Refusal struct {
	Op      string // PUSH, PULL, BOTF, AOTF, SWAP, LOCK, UNLOCK, PIN, UNPIN, SID
	Node    int    // the target node
	Segment Segment
	Offset  uint64
	Bytes   int
	Moved   int
	Reason  Reason
	Cause   error // the kernel's, if it had one
	local   bool  // it never left the issuer
}

// Error describes the request and why it was refused.
func (r *Refusal) Error() string {
	return dma.Broken(fmt.Sprintf("martini: %s of %d bytes, node %d segment %v offset %d: %v", r.Op, r.Bytes, r.Node, r.Segment, r.Offset, r.Reason), r.Moved, r.Cause)
}

// Unwrap returns the reason, its cause, and fs.ErrPermission if another way of moving the bytes may
// work.
func (r *Refusal) Unwrap() []error {
	return dma.Reasons(r.Reason == NoAccess, r.Cause, r.Reason)
}

// count adds one refusal to a node's counters.
func count(counters []uint64, r Reason) { atomic.AddUint64(&counters[r], 1) }

// refuse counts r at the issuer and, if the request got that far, at the target, where the firmware
// counts it (martini, section 8.2). It takes a value, so that requests that are not refused do not
// allocate.
func (n *NIC) refuse(r Refusal) error {
	count(n.own.tables[regRequests:], r.Reason)
	if !r.local && uint(r.Node) < uint(n.f.Ranks()) && r.Reason != NoNode && r.Op != opPin && r.Op != opSID {
		if t, ok := n.node(r.Node); ok {
			count(t.public[pubArrivals:], r.Reason)
		}
	}
	return &r
}

// Refused returns the numbers of refusals for one reason: of requests that this NIC has issued, and
// of requests that arrived here.
func (n *NIC) Refused(r Reason) (issued, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&n.own.tables[regRequests+int(r)]), atomic.LoadUint64(&n.own.public[pubArrivals+int(r)])
}

// Names of operations in a Refusal.
const (
	opPush = "PUSH"
	opPull = "PULL"
	opBotf = "BOTF"
	opSwap = "SWAP"
	opPin  = "PIN"
	opSID  = "SID"
)
