// Package collectives holds the algorithms of collective operations, the
// table that chooses among them, and the executor that runs them.
//
// An algorithm builds a schedule of rounds once; the executor serves blocking,
// nonblocking and persistent calls with it. The package knows neither MPI nor
// the protocol engine: it runs on the small [Transport] below, and on an
// [Exchange] where the network offers one.
package collectives

// A Transport carries the messages of one group of processes. Ranks are those
// of the group. Messages between two processes with equal tags do not
// overtake. All methods are called by one goroutine per group at a time.
type Transport interface {
	Rank() int
	Size() int
	// Isend and Irecv start a transfer that Wait completes; slot is a number
	// from 0 to Slots-1 that names it and is free again after Wait.
	Isend(slot int, buf []byte, dst, tag int) error
	Irecv(slot int, buf []byte, src, tag int) error
	// Wait completes the transfers in slots first to last-1.
	Wait(first, last int) error
	// Test reports whether all transfers in slots first to last-1 are complete, without blocking.
	Test(first, last int) (bool, error)
	// Slots is how many transfers may be outstanding at once.
	Slots() int
}

// An Exchange is an optional ability of a Transport, found by assertion: every
// process gives a few bytes and gets everybody's, in one step.
type Exchange interface {
	// ExchangeBytes is the largest contribution in bytes; 0 if there is no such ability for this group.
	ExchangeBytes() int
	// Exchange hands in to everyone and fills out with the contributions of
	// all ranks in rank order, len(in) bytes each. With len(in) == 0 it is a barrier.
	Exchange(in, out []byte) error
}
