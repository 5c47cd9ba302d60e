package ir

import (
	"time"

	"rhinet/internal/pmi"
)

// Values of the fields of a Waiting whose call has no peer, tag or size; -1 means any peer or any tag.
const (
	NoPeer  = pmi.NoPeer // all, or several
	NoTag   = pmi.NoTag
	NoBytes = pmi.NoBytes
)

// A Waiting says what a peer waits for. Its Call is that of the user if the port was told, else that of the
// port.
type Waiting = pmi.Wait

// A Collective says in which collective call a peer is, so that a launcher can
// tell whether the ranks of a communicator are in the same one.
type Collective = pmi.Collective

// A Holder is a peer that has a lock that other peers wait for.
type Holder = pmi.Holder

// An Unmatched says which messages have come that a wait does not take.
type Unmatched = pmi.Unmatched

// A Reporter is an optional ability of a translator (see [Abilities]): to publish what this peer waits for. A
// waiter reports before it sleeps for the first time and clears when its wait ends; both with the port's lock
// held. A wait that ends sooner is never reported. Finish says that the peer has ended its use of MPI, unless it
// clears that, too.
type Reporter interface {
	Report(Waiting)
	Clear()
	Finish()
}

// A CPUTimer is an optional ability of a translator (see [Abilities]): it knows how much processor time the
// peers on this machine have used, this one included. It allocates nothing. Any goroutine may call it.
type CPUTimer interface{ Spent() time.Duration }
