package ir

// Values of a Waiting that mean that the call has no such thing; any peer and
// any tag are -1.
const (
	NoPeer  = -2 // all, or several
	NoTag   = -2
	NoBytes = -1
)

// A Waiting says what a peer waits for.
type Waiting struct {
	Call    string // of the user, if the port was told, else of the port
	Peer    int    // -1: any; NoPeer
	Tag     int    // -1: any; NoTag
	Bytes   int64  // size of the buffer; NoBytes
	Context uint16
	Collective
}

// A Collective says in which collective call a peer is, so that a launcher can
// tell whether the ranks of a communicator are in the same one.
type Collective struct {
	Team uint32 // the communicator, the same number on all its ranks
	Turn uint32 // how many collective calls came before on it
	Sign uint32 // call and arguments; 0: no collective call
}

// A Reporter is an optional ability of a translator (see [Abilities]): to
// show to the outside what this peer waits for. A waiter reports before it
// sleeps for the first time and clears when its wait ends; both with the
// port's lock held. A wait that ends sooner is never reported.
type Reporter interface {
	Report(Waiting)
	Clear()
}
