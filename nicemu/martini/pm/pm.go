package pm

import (
	"errors"
	"fmt"
)

// Messages is the message interface of PM (pm-messaging, section 1.2). None of
// its calls blocks. An implementation belongs to one goroutine at a time.
type Messages interface {
	// Self returns the own node number.
	Self() int
	// Nodes returns the number of nodes.
	Nodes() int
	// MaxMessage returns the length of the longest message in bytes.
	MaxMessage() int
	// GetSendBuffer returns memory for a message of n bytes, at least one, to dst. It and Send
	// alternate: GetSendBuffer returns ErrBusy if a buffer has not been sent. While there is no
	// room it returns ErrNoBufs; the caller must receive before it tries again, or two nodes that
	// fill each other's rings deadlock.
	GetSendBuffer(dst, n int) ([]byte, error)
	// Send sends the buffer obtained last; it returns ErrNothingHeld if there is none. After an
	// error, such as ErrNoBufs, nothing has been sent and the buffer is released.
	Send() error
	// Receive polls once for a message of any source and returns it. It returns ErrNoMessage if
	// there is none, and ErrBusy while a message is held. A *CorruptError says that a source wrote
	// what no correct one can have written; nothing more is received from it (on VP: from any
	// source).
	Receive() ([]byte, error)
	// ReleaseReceiveBuffer frees the result of Receive; it returns ErrNothingHeld if no message is
	// held.
	ReleaseReceiveBuffer() error
}

// Errors of the calls, with the names that PM has for them.
var (
	ErrNoBufs      = errors.New("pm: no room; receive, and try again")
	ErrInvalid     = errors.New("pm: no such node, or impossible length")
	ErrBusy        = errors.New("pm: a buffer is held already")
	ErrNoMessage   = errors.New("pm: no message")
	ErrNothingHeld = errors.New("pm: no buffer is held")
)

// A CorruptError reports memory that no correct sender can have left in this state.
type CorruptError struct {
	Source int // negative if unknown
	Detail string
}

// Error names the source and what is wrong.
func (e *CorruptError) Error() string {
	return fmt.Sprintf("pm: corrupt ring of node %d: %s", e.Source, e.Detail)
}

// Counters are exact and independent of the machine (pm-messaging, section
// 1.9).
type Counters struct {
	Pushes      uint64 // requests that carry messages or parts of them
	Pulls       uint64 // of tails
	Acks        uint64 // waited for
	EmptyPasses uint64 // calls of Receive without a message
	Probed      uint64 // rings polled
	GiveUps     uint64 // rings left because the trailer had not arrived
	Zeroed      uint64 // bytes
}

// check checks the arguments of GetSendBuffer.
func check(dst, nodes, n, most int) error {
	if uint(dst) >= uint(nodes) || n < 1 || n > most {
		return fmt.Errorf("%w: %d bytes to node %d; there are nodes 0 to %d, and a message has 1 to %d bytes",
			ErrInvalid, n, dst, nodes-1, most)
	}
	return nil
}
