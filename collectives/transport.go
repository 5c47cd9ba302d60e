// Package collectives has the algorithms of collective operations, the table that
// chooses among them, and the executor that runs them.
//
// An algorithm builds a schedule of rounds once; the executor serves blocking,
// nonblocking and persistent calls with it. The package knows neither MPI nor the
// protocol engine: it runs on the small [Transport] below, and on an [Exchange] where
// the network offers one.
//
// A [Group] made by [New] has one blocking method per operation and
// [Group.Prepare] for the nonblocking and persistent forms. Buffers are bytes;
// a [Reducer] knows what the bytes of a reduction mean.
package collectives

// MaxTag is the largest tag that a Group passes to its Transport; the smallest is 0. A
// few tags with as many bits are left to other users of the Transport.
const MaxTag = 1<<15 - 1 - 32

// firstPrepared is the lowest tag of prepared calls; those of other calls are below.
const firstPrepared = 1 << 14

// MinSlots is the least number of slots of a Transport.
const MinSlots = 8

// A Transport carries the messages of one group of processes. Ranks are those of the
// group, and no rank sends to itself. Messages between two processes with equal tags do
// not overtake each other. Empty messages are sent as well. Only one goroutine per
// group at a time may call the methods.
//
// The first error of a method is the result of the collective call; the executor goes
// on with the remaining transfers, so that the other processes are not left waiting,
// and every method must stay callable after an error.
type Transport interface {
	// Rank is this process's rank in the group; it does not change.
	Rank() int
	// Size is the number of processes of the group; it does not change.
	Size() int
	// Isend and Irecv start a transfer that Wait completes; slot is a number
	// from 0 to Slots-1 that names it and is free again after Wait, or after
	// a Test that reported true. buf belongs to the transfer until then. A
	// transfer that could not be started leaves its slot free.
	Isend(slot int, buf []byte, dst, tag int) error
	// Irecv: a message whose length is not that of buf is an error of Wait or Test.
	Irecv(slot int, buf []byte, src, tag int) error
	// Wait completes the transfers in slots first to last-1, in any order; a
	// slot without a transfer is complete. When it returns, also with an
	// error, the slots are free and no buffer of theirs is in use, unless the
	// transport has abandoned transfers: see [Abandoning].
	Wait(first, last int) error
	// Test reports whether all transfers in slots first to last-1 are
	// complete, without blocking and with progress on all of them. An error
	// comes with true only; then the slots are free as after Wait.
	Test(first, last int) (bool, error)
	// Slots is how many transfers may be outstanding at once, at least [MinSlots]; it
	// does not change.
	Slots() int
}

// Folding is an optional ability of a Transport, found by assertion: to receive data
// that the process reads at once, like operands of a reduction, in another way. The
// processor that reads them copies them best.
type Folding interface {
	// Folds says that the data of the next Irecv is combined when it has arrived.
	Folds()
}

// A Receiver is an optional ability of a Transport, found by assertion: a shorter path
// for a receive that a blocking call waits for at once, and for nothing else.
type Receiver interface {
	// Recv is Irecv in the first slot and Wait for it.
	Recv(buf []byte, src, tag int) error
}

// An Abandoning transport, found by assertion, may end a call though transfers of it are
// still in progress.
type Abandoning interface {
	// Abandoned reports, after an error of Wait or Test, whether buffers of the call are
	// still in use. Then the call ends and touches none of them any more, and the caller
	// must not either.
	Abandoned() bool
}

// A Flow says which processes contribute to an exchange, and which receive the
// contributions.
type Flow uint8

const (
	// AllToAll: each process contributes, and receives the contributions of all,
	// including its own, in rank order. in has the same length on all; with len(in) ==
	// 0 it is a barrier, and out is nil.
	AllToAll Flow = iota
	// Uneven is AllToAll of contributions of any lengths. out has places of equal
	// length for them; the content of the process's own place, and of the others beyond
	// a contribution, is undefined.
	Uneven
	// FromRoot: root contributes, and all others receive it in out, which must be at
	// least as long. The content of out beyond it is undefined; in of the others and
	// out of root are not used.
	FromRoot
	// ToRoot: each process contributes, and root receives the contributions in out in
	// rank order, including its own, in places as long as root's in, which none is
	// longer than. The content of a place beyond a contribution is undefined; out of
	// the others is not used.
	ToRoot
)

// Together reports whether all contribute and all receive, so that the flow has no
// root.
func (f Flow) Together() bool { return f <= Uneven }

// An Exchange is an optional ability of a Transport, found by assertion: some or all
// processes contribute a few bytes, and some or all receive them, in one step.
type Exchange interface {
	// ExchangeBytes is the largest contribution in bytes; 0 if the group has no
	// exchanges. It does not change and is equal on all ranks.
	ExchangeBytes() int
	// Exchange makes one exchange with the other processes, which name the same flow
	// and the same root. A process that receives nothing need not wait for those that
	// do, and may be some exchanges ahead of them. in and out do not overlap, except
	// that at the root of ToRoot in may be its own place in out.
	Exchange(f Flow, root int, in, out []byte) error
	// ExchangeStart is Exchange without waiting. After an error nothing has started;
	// otherwise ExchangeTest must report the end before the next exchange. in and out
	// belong to the exchange until then.
	ExchangeStart(f Flow, root int, in, out []byte) error
	// ExchangeTest reports whether the exchange that was started is complete, without
	// blocking and with progress on it. It returns an error only with true.
	ExchangeTest() (bool, error)
}

// A Controller is an optional ability of a Transport, found by assertion: hardware that
// keeps barriers. Several may be in progress; all processes enter them in the same
// order.
type Controller interface {
	// Controls reports whether there is such hardware for this group. It does not
	// change and is equal on all ranks.
	Controls() bool
	// Enter says that this process has come to the next barrier, and does not wait.
	// Left must report its end, unless Enter has failed.
	Enter() (barrier int, err error)
	// Left reports whether all have come to a barrier, with progress on all that were
	// entered; if wait, it waits until they have. It returns an error only with true.
	Left(barrier int, wait bool) (bool, error)
}

// A Switched is an optional ability of a Transport, found by assertion: switches of the
// network synchronize the processes and multicast their contributions.
type Switched interface {
	// Switch returns the exchanges that the network makes, AllToAll and FromRoot; nil
	// if there are none for this group. All processes synchronize in each of them,
	// whatever its flow.
	Switch() Exchange
}

// An Awaiter is an optional ability of a Transport, found by assertion: to
// wait, with progress and without burning the processor, until done reports
// true. It is used only while nonblocking operations are outstanding.
type Awaiter interface {
	Await(done func() bool)
}

// A Reducer is the operation of a reduction on buffers of equal length, which is a
// multiple of its element size. Their starts are aligned for it, up to 16 bytes, if the
// caller's buffers are. A pointer, or a value of size zero, converts to it without
// allocation.
type Reducer interface {
	// Reduce sets inout[i] = in[i] op inout[i] for every element i. It must be
	// associative.
	Reduce(in, inout []byte)
	// ElemSize is the size of one element in bytes, at least 1.
	ElemSize() int
	// Commutative reports whether a op b equals b op a for all a, b. If it does not,
	// contributions are combined in rank order.
	Commutative() bool
}
