package endpoint

import (
	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// Hardware is what a translator over [Rings] needs of its NIC. Refusals are errors.
type Hardware interface {
	// Writer opens a packet ring of a peer, Sender its shared ring, Flags the flag arrays. Each is opened on
	// first use, and again when it is needed after an error.
	Writer(peer, ring int) (Writer, error)
	Sender(peer int) (Sender, error)
	Flags() (Flags, error)

	// Messages returns the reader of this peer's shared ring, Reader that of its packet ring i, which has had
	// no reader yet, nil if there is no such ring.
	Messages() *ring.SharedReader
	Reader(i int) *ring.Reader

	// Remote reports whether the memory of other processes can be reached.
	Remote() bool
	ir.Remote
	// Swap stores now into a control word of a peer if the word is old, and returns its value before.
	Swap(peer int, word, old, now uint64) (was uint64, err error)

	// Close withdraws all that was registered.
	Close() error
}

// A Lender is Hardware that distinguishes Expose, whose memory the engine keeps alive and in place until
// Conceal, from ExposeMemory, whose memory the NIC must keep.
type Lender interface {
	LendMemory(b []byte) (ir.Segment, error)
}

// A Writer is the way into one packet ring of a peer.
type Writer interface {
	// Put places packet number slot, with its payload at data position pos if it does not fit the slot.
	Put(slot, pos uint64, head *[3]uint64, payload []byte) error
	// Consumed returns the lines and data positions that the reader has consumed.
	Consumed() (slot, pos uint64, err error)
	// Attest records what has been placed, if that has changed, or with again in any case.
	Attest(again bool)
}

// A Collector is a Writer that gathers noncontiguous payloads straight into the ring.
type Collector interface {
	// Gather is Put of the n bytes of from that begin with number off.
	Gather(slot, pos uint64, head *[3]uint64, from ring.Gatherer, off, n int) error
}

// An Opener is a Writer whose lines may go by an outlet, in place of Put.
type Opener interface {
	Outlet() *ring.Outlet
}

// A Sender is the way into the shared ring of a peer.
type Sender interface {
	// Send appends a packet and reports whether there was room.
	Send(head *[3]uint64, payload []byte) (bool, error)
	Attest(again bool)
}

// Flags are this peer's flags in the shared flag arrays.
type Flags interface {
	Raise(flagArray int, seq, mark uint32, data []byte) error
	Prefetch(flagArray int, seq uint32, n int)
	// Audit reports whether the flags are as they were raised.
	Audit() error
}
