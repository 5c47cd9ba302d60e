package dimmnet2

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/dma"
)

// A Reason says why an access or a command was refused, or 0. It is an error of its own, so that
// errors.Is(err, dimmnet2.WrongGroup) works.
type Reason uint8

// The reasons, in the order in which they are met: at the host interface, at the Window
// Controller, at the receiver.
const (
	reasonNone   Reason = iota
	Closed              // the NIC is closed
	NotMapped           // no resource has this address
	NoHostAccess        // SO-DIMM: the host has no direct access (section 2)
	WriteOnly           // a load from a Write Window or from the request-issue register
	ReadOnly            // a store to a Prefetch Window, or to a status register
	Privileged          // a store to a register that the privileged process sets
	WrongWidth          // a register access, or a command, of other than its 64 or 128 bits
	NotYours            // it belongs to the other process of the board
	NoCommand           // no such command
	WrongLength         // more than a window, a packet or a list holds, or not whole elements
	BadImage            // the lines in the window are no packet
	OutOfReach          // own SO-DIMM that the process does not have
	NoNode              // no such process
	WrongGroup          // the PGID is not that of the receiver
	NoOperation         // the receiver knows no such operation
	BadRequest          // what the packet asks for makes no sense: too long, no such pattern
	Outside             // memory that the receiver does not have, or that packets do not reach
	Held                // the write right is not given up
	StatusFull          // the status ring has no room
	RingFull            // the receive ring has no room; the packet may be sent again
	RingBroken          // pointers of a ring in the LLCM cannot be right
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

// Arrived reports whether a receiver finds the reason out, and counts it.
func (r Reason) Arrived() bool { return r > NoNode && r < numReasons }

// A Refusal is the error of what a NIC did not do. Nothing of a packet that is refused
// has moved; of a transfer of several packets, others may have.
type Refusal struct {
	What   string  // the access
	At     Address // of the access
	Op     Op      // the command, if it was one
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

// refuse counts r at this process. A receiver has counted what it refused. It takes a
// value, so that what is not refused does not allocate.
func (n *NIC) refuse(r Refusal) error {
	atomic.AddUint64(&n.own.tables[regRefused+int(r.Reason)], 1)
	return &r
}

func (s *share) countRefused(r Reason) { atomic.AddUint64(&s.public[pubRefused+int(r)], 1) }

// Refused returns how many accesses and commands of this process were refused for a reason, and
// how many packets that arrived.
func (n *NIC) Refused(r Reason) (own, arrived uint64) {
	if r >= numReasons {
		return 0, 0
	}
	return atomic.LoadUint64(&n.own.tables[regRefused+int(r)]), atomic.LoadUint64(&n.own.public[pubRefused+int(r)])
}

// errors is the status register of that name.
func (n *NIC) errors() (bits uint64) {
	for r := range numReasons {
		if own, arrived := n.Refused(r); own+arrived > 0 {
			bits |= 1 << r
		}
	}
	return bits
}
