package mpi

import (
	"context"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// A Transport carries the messages of one rank. Peers are world ranks. The
// port of a network interface (rhinet/llc/port) is one; package mpitest has a
// slow one that judges it.
//
// All methods may be called by many goroutines at once. Between one sender and
// one receiver, messages of equal context do not overtake. Send, Recv, Wait,
// Test, Probe and Await do not allocate.
type Transport interface {
	// Send returns when buf may be used again (mode Synchronous: and the
	// matching receive has started).
	Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error
	// Recv returns when a message has arrived in buf. A longer one is cut:
	// Status.Bytes is its full size then.
	Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error)
	// A message of another type than the receive wants (llc.Request) is lost, and
	// both sides learn of it if the sender still waits.

	// Start begins a transfer; r belongs to the transport until Wait, WaitAny
	// or Test has said that it is complete.
	Start(r *llc.Request, send bool)
	// Isend is Start of a send in Standard mode by one of the spares, which it returns
	// with its Buf set, and reports whether it is complete already. It returns nil, and
	// nothing has happened, if there is none, or if it leaves that to Start.
	Isend(s *port.Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool)
	// Irecv is Start of a receive in the same way.
	Irecv(s *port.Spares, key llc.Key, src, tag int, buf []byte) *llc.Request
	Wait(r *llc.Request)
	// WaitAll is Wait for each of the requests from first on, which are linked.
	WaitAll(first *llc.Request)
	// TrySend is Send of an eager message in Standard mode, if all of it can go at once; else it
	// reports false, and nothing has happened.
	TrySend(key llc.Key, dst, tag int, buf []byte) bool
	// RecvFor is Recv that is named by call where waits are reported.
	RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error)
	Test(r *llc.Request) bool
	// WaitAny returns the index of a complete request, and waits for one.
	WaitAny(rs []*llc.Request) int
	// WaitContext is Wait that ends with ctx's error when ctx ends. The
	// transfer may then still complete: Cancel withdraws it if possible.
	WaitContext(ctx context.Context, r *llc.Request) error
	// Cancel withdraws a transfer that nothing has matched yet; it reports
	// whether it did. A withdrawn request is complete.
	Cancel(r *llc.Request) bool
	// Probe looks for a message without receiving it.
	Probe(ctx uint16, src, tag int, block bool) (llc.Status, bool)
	// Match is Probe without block that leaves the message to a receive of its
	// source in context as with tag handle only; its status has its own tag.
	Match(ctx uint16, src, tag int, as uint16, handle int) (llc.Status, bool)
	// Unreceived calls visit for each message that waits for a receive, in order of arrival within each context. visit must
	// not call the transport.
	Unreceived(visit func(ctx uint16, m llc.Status))
	// Addressed reports whether messages to a peer may be under way. What is sent to it next arrives after those.
	Addressed(peer int) bool
	// Open says which messages a context takes from now on: those whose type has
	// the bits of want where mask has ones.
	Open(ctx uint16, mask, want uint32)
	// Shut has a context take none, and drops what waits there. What needs it
	// fails with llc.ErrShut, also at peers.
	Shut(ctx uint16)
	// Host is the number of the host that a rank is on. Board, Memory, Remote,
	// Atomics, Locker and Vectors are for ranks on one host.
	Host(peer int) int
	// Board is the flag board of the network, or nil. Its flags are raised in
	// begin of AwaitCollective, or by Perform.
	Board() ir.Board
	// Sequences is how many sequences the barrier controllers of the network keep, 0 if there are none.
	Sequences() int
	// Codes opens a sequence of the barrier controllers of the network, as [ir.Controller] has it; it returns nil
	// if there is none of that number. Codes are used in begin and cond of AwaitCollective, and within Perform.
	Codes(sequence int, peers []int, base uint64) (ir.Codes, error)
	// Switch is the sets of the network, or nil. What they send is begun in begin of
	// AwaitCollective, or by Perform.
	Switch() ir.Switch
	// Memory is the memory that ranks share, or nil.
	Memory() ir.Memory
	// Remote is how exposed memory of other ranks is reached, or nil.
	Remote() ir.Remote
	// Atomics is how words of other ranks are updated, Locker the locks that the network keeps, and Vectors the memory on
	// the boards of network interfaces, or nil. They are used in begin and cond of AwaitCollective, and within Perform.
	Atomics() ir.Atomics
	Locker() ir.Locker
	Vectors() ir.Vectors
	// Wake has a rank that waits in AwaitCollective look at its condition again.
	Wake(peer int)
	// AwaitCollective calls begin, unless it is nil, and makes progress until cond
	// holds. call is what the user called, and c more of it.
	AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool)
	// Perform calls f, as AwaitCollective calls begin, and does not wait.
	Perform(f func())
	// Carrier is what goes on with operations whose transfers are done, in whatever call makes progress, or nil.
	Carrier() port.Carrier
	// Survive has the end of a rank end nothing but the requests that name it, and
	// died be told of it, once, which must not call the transport. It reports
	// whether the transport can; else nothing changes.
	Survive(died func(peer int, why error)) bool
	// Close ends all use, after everything sent has left.
	Close() error
}
