package ir

// A Controller is an optional ability of a translator (see [Abilities]): barrier controllers, logic between
// all peers that keeps the order of their synchronizations (sync-controller, section 7). Collective
// operations without data execute codes instead of sending packets.
type Controller interface {
	// Sequences returns how many independent sequences of synchronizations there are.
	Sequences() int
	// Sequence opens a sequence of this peer and others. Places in it count the synchronizations; all of the
	// peers take part in each. The first place is base, which is greater than 0 and than any place that one
	// of them has used in this sequence before.
	Sequence(number int, peers []int, base uint64) (Codes, error)
}

// Codes are what a peer executes in one sequence of a [Controller]. A code at a place says that the peer has
// come there, and waits until all have come to the place before: what the peers did before their code there
// has then happened. Two codes in a row are a barrier. Codes belong to the goroutine that may call the
// translator.
type Codes interface {
	// Code executes the code at the next place, with a mark, and wakes those of the peers that sleep. The
	// code before must have been passed.
	Code(mark uint32)
	// Go reports whether the code executed last has been passed.
	Go() bool
	// Mark returns, once Go reports true, the mark of a peer at the place before. Only a peer that breaks the
	// rules has none.
	Mark(peer int) (mark uint32, ok bool)
	// Ahead returns the mark of a peer at the place of this peer's next code, and whether the peer has
	// executed its code there.
	Ahead(peer int) (mark uint32, ok bool)
	// Next returns the place after that of the code executed last.
	Next() uint64
}

// A Locker is an optional ability of a translator (see [Abilities]): locks that the network keeps at the node
// of a peer, their home, and grants in the order of the requests (Non-Collision Lock: sync-controller,
// section 4). Nothing is sent while a peer waits. Each lock has a counter, for holders that may go on beside
// each other. ReserveLock and FreeLock concern locks whose home is this peer. All methods belong to the
// goroutine that may call the translator.
type Locker interface {
	// ReserveLock takes a free lock here; its counter is 0. The error says why there is none.
	ReserveLock() (number int, err error)
	// FreeLock gives it back. Nobody may have the lock or ask for it any more.
	FreeLock(number int)
	// Acquire asks for a lock and returns the turn in which this peer will have it.
	Acquire(home, number int) (turn uint64, err error)
	// Granted reports whether the lock has come to a turn of this peer. An error says that it never will.
	Granted(home, number int, turn uint64) (bool, error)
	// Holder returns the peer that has a lock, or NoPeer: none, or it is not known at this moment.
	Holder(home, number int) int
	// ReleaseLock passes the lock to the peer that asked next, and wakes that peer if it sleeps.
	ReleaseLock(home, number int, turn uint64) error
	// Withdraw takes back a request that this peer has not released, or releases the lock if it has come to that
	// turn. It wakes the peer that has the lock then, if it sleeps.
	Withdraw(home, number int, turn uint64) error
	// Count adds 1 to the counter of a lock or subtracts 1; if that leaves 0, it wakes the peer that has the
	// lock.
	Count(home, number int, more bool) error
	// Counter returns the counter of a lock.
	Counter(home, number int) (uint64, error)
}
