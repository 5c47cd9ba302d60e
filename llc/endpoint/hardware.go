package endpoint

import (
	"rhinet/internal/ring"
	"rhinet/llc/ir"
)

// Hardware is what a translator over [Rings] needs of its NIC. What it refuses is an
// error.
type Hardware interface {
	// Writer opens a packet ring of a peer, Sender its shared ring, Flags the flag
	// arrays. Each is opened on first use, and again when it is wanted after an error.
	Writer(peer, ring int) (Writer, error)
	Sender(peer int) (Sender, error)
	Flags() (Flags, error)

	// Messages returns the reader of the own shared ring, Reader that of an own packet
	// ring that nobody has read yet, nil if there is none of that number.
	Messages() *ring.SharedReader
	Reader(i int) *ring.Reader

	// Remote reports whether the memory of other processes is reached.
	Remote() bool
	ir.Remote
	// Swap stores now into a control word of a peer if that is old, and returns what
	// was there.
	Swap(peer int, word, old, now uint64) (was uint64, err error)

	// Close withdraws all that was registered.
	Close() error
}

// A Lender is Hardware for which it makes a difference that Expose names memory which the engine keeps alive and in place
// until Conceal, where that of ExposeMemory is the NIC's to keep.
type Lender interface {
	LendMemory(b []byte) (ir.Segment, error)
}

// A Writer is the way into one packet ring of a peer.
type Writer interface {
	// Put places packet number slot, with its payload at data position pos if that does
	// not fit the line.
	Put(slot, pos uint64, head *[3]uint64, payload []byte) error
	// Consumed returns the lines and data positions that the reader has consumed.
	Consumed() (slot, pos uint64, err error)
	// Attest puts down what has been placed, if that has changed, or again.
	Attest(again bool)
}

// An Opener is a Writer of which lines may go by an outlet: what Put does of them, too.
type Opener interface {
	Outlet() *ring.Outlet
}

// A Sender is the way into the shared ring of a peer.
type Sender interface {
	// Send appends a packet and reports whether there was room.
	Send(head *[3]uint64, payload []byte) (bool, error)
	Attest(again bool)
}

// Flags are the own flags in the shared flag arrays.
type Flags interface {
	Raise(board int, seq, mark uint32, data []byte) error
	Claim(board int, seq uint32)
	// Audit reports whether the flags are as they were raised.
	Audit() error
}
