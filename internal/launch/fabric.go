package launch

import (
	"os"
	"time"
)

// A Fabric is the memory that the ranks of a job share, as far as a launcher
// needs to know it: a descriptor to hand down, and one status line per rank to
// read. Methods are called from several goroutines.
type Fabric interface {
	// File returns the open file that every rank inherits.
	File() *os.File
	// Status returns what a rank says about itself. It never blocks and never
	// trusts what it reads: a rank may be killed in the middle of a change.
	Status(rank int) Status
	// Close gives back what the launcher itself holds.
	Close() error
}

// A State is a point in the life of a rank as its status line shows it.
//
//	Outside --Init--> Computing <--> Waiting
//	                      |  \--Abort--> Aborted
//	                      \--Finalize--> Finalized
type State uint8

// The states of a rank.
const (
	Outside   State = iota // has not called Init, perhaps no MPI program at all
	Computing              // initialised, in no call that waits
	Waiting                // in the call that Status names
	Aborted                // called Abort
	Finalized              // called Finalize
)

// Values of Status.Peer that are no rank, and of Status.Tag that are no tag.
const (
	AnyPeer = -1 // any source
	AnyTag  = -1 // any tag
	NoPeer  = -2 // the call concerns no single peer: a collective, or several requests
	NoTag   = -2 // the call has no tag
)

// A Status is one reading of a rank's status line.
type Status struct {
	State State
	Lost  int           // 1 + the first rank that it found to be gone; 0: none
	Call  string        // Waiting: name of the call, such as "Recv"
	Peer  int           // Waiting: world rank it waits for, AnyPeer or NoPeer
	Tag   int           // Waiting: tag, AnyTag or NoTag
	Bytes int64         // Waiting: size of the buffer or message, negative if unknown
	For   time.Duration // Waiting: how long already
	Mark  uint64        // Waiting: changes from one wait to the next
	// Of a collective call: its communicator, how many came before on that, and
	// what it is and is called with, or 0. Ranks that are in the same turn of one
	// communicator must have the same sign.
	Team, Turn, Sign uint32
}
