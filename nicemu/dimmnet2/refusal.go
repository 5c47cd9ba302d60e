package dimmnet2

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why an access or a command was refused, or 0. It is an error itself, so that
// errors.Is(err, dimmnet2.WrongGroup) works.
type Reason uint8

// The reasons, in the order of the checks: at the host interface, at the Window Controller, at the
// receiver.
const (
	reasonNone   Reason = iota
	Closed              // the NIC is closed
	NotMapped           // no resource has this address
	NoHostAccess        // SO-DIMM: the host has no direct access (section 2)
	WriteOnly           // a load from a Write Window or from the request-issue register
	ReadOnly            // a store to a Prefetch Window, or to a status register
	Privileged          // a store to a register that the privileged process sets
	WrongWidth          // a register access, or a command, with a width other than its 64 or 128 bits
	NotYours            // it belongs to the other process of the board
	NoCommand           // no such command
	WrongLength         // more than fits a window, a packet or a list, or not whole elements
	BadImage            // the lines in the window are not a valid packet
	OutOfReach          // SO-DIMM on this side that does not belong to the process
	NoNode              // no such process
	WrongGroup          // the PGID is not that of the receiver
	NoOperation         // the receiver does not know the operation
	BadRequest          // the packet's request is invalid: too long, or no such pattern
	Outside             // memory that the receiver does not have, or that packets cannot access
	Held                // the write right is not released
	StatusFull          // the status ring has no room
	RingFull            // the receive ring has no room; the packet may be sent again
	RingBroken          // pointers of a ring in the LLCM are invalid
	numReasons
)

var reasonTexts = [numReasons]string{
	Closed:       "the NIC is closed",
	NotMapped:    "nothing has this address",
	NoHostAccess: "the host has no access to SO-DIMM",
	WriteOnly:    "write only",
	ReadOnly:     "read only",
	Privileged:   "for the privileged process only",
	WrongWidth:   "wrong width of the access",
	NotYours:     "it belongs to the other process",
	NoCommand:    "no such command",
	WrongLength:  "impossible length",
	BadImage:     "the window holds no packet",
	OutOfReach:   "beyond the own SO-DIMM",
	NoNode:       "no such process",
	WrongGroup:   "another process group",
	NoOperation:  "no such operation",
	BadRequest:   "impossible request",
	Outside:      "memory that the receiver does not have",
	Held:         "the write right is not given up",
	StatusFull:   "the status ring is full",
	RingFull:     "the receive ring is full",
	RingBroken:   "a ring of the receiver has been overwritten",
}

// Error returns the reason in a few words.
func (r Reason) Error() string { return dma.Word("reason", r, reasonTexts[:]) }

// Arrived reports whether a receiver finds the reason, and counts it.
func (r Reason) Arrived() bool { return r > NoNode && r < numReasons }

// A Refusal is the error of an access or command that a NIC did not carry out. No byte of a refused
// packet has moved; other packets of the same transfer may have been received.
type Refusal struct {
	What   string  // the access
	At     Address // of the access
	Op     Op      // the command, if there was one
	Rank   int     // the receiver
	Moved  int     // bytes of its packets that were received
	Reason Reason
}

// Error describes the access or command and why it was refused.
func (r *Refusal) Error() string {
	if r.Op == 0 {
		return fmt.Sprintf("dimmnet2: %s at %#x: %v", r.What, uint32(r.At), r.Reason)
	}
	return dma.Broken(fmt.Sprintf("dimmnet2: %v, rank %d: %v", r.Op, r.Rank, r.Reason), r.Moved, nil)
}

// Unwrap returns the reason.
func (r *Refusal) Unwrap() error { return r.Reason }

// refuse counts r at this process. A receiver has already counted its own refusals. refuse takes a
// value, so that accesses that are not refused do not allocate.
func (n *NIC) refuse(r Refusal) error {
	atomic.AddUint64(&n.own.tables[regRefused+int(r.Reason)], 1)
	return &r
}

func (s *share) countRefused(r Reason) { atomic.AddUint64(&s.public[pubRefused+int(r)], 1) }

// Refused returns the numbers of refusals for a reason: of accesses and commands of this process,
// and of packets that arrived.
func (n *NIC) Refused(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&n.own.tables[regRefused+int(r)]), atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}

// errors returns the status register RegErrors.
func (n *NIC) errors() (bits uint64) {
	for r := range numReasons {
		if own, arrived := n.Refused(r); own+arrived > 0 {
			bits |= 1 << r
		}
	}
	return bits
}
