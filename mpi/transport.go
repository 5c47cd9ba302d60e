package mpi

import (
	"context"

	"rhinet/llc"
	"rhinet/llc/ir"
	"rhinet/llc/port"
)

// A Transport carries the messages of one rank. Peers are world ranks. The port of a
// network interface (rhinet/llc/port) is one; package mpitest has a slow reference
// implementation.
//
// All methods may be called by many goroutines at once. Messages of one context from
// one sender to one receiver do not overtake each other. Send, Recv, Wait, Test, Probe
// and Await do not allocate.
//
// Not in the standard.
type Transport interface {
	// Send returns when buf may be used again; in mode Synchronous only after the
	// matching receive has started.
	Send(key llc.Key, dst, tag int, mode llc.Mode, buf []byte) error
	// Recv returns when a message has arrived in buf. A longer message is truncated:
	// Status.Bytes is its full size.
	Recv(key llc.Key, src, tag int, buf []byte) (llc.Status, error)
	// A message of another type than the receive wants (llc.Request) is lost, and both
	// sides get an error if the sender still waits.

	// Start begins a transfer; r belongs to the transport until Wait, WaitAny or Test
	// has reported that it is complete.
	Start(r *llc.Request, send bool)
	// Isend is Start of a send in Standard mode with one of the spares, which it
	// returns with its Buf set, and reports whether it is complete already. It returns
	// nil, and nothing has happened, if there is no spare, or if the caller must use
	// Start.
	Isend(s *port.Spares, key llc.Key, dst, tag int, buf []byte) (r *llc.Request, gone bool)
	// Irecv is Start of a receive in the same way.
	Irecv(s *port.Spares, key llc.Key, src, tag int, buf []byte) *llc.Request
	Wait(r *llc.Request)
	// WaitAll is Wait for each of the requests from first on, which are linked.
	WaitAll(first *llc.Request)
	// TrySend is Send of an eager message in Standard mode, if all of it can be sent at
	// once; else it returns false, and nothing has happened.
	TrySend(key llc.Key, dst, tag int, buf []byte) bool
	// RecvFor is Recv, reported as a wait of call.
	RecvFor(call string, key llc.Key, src, tag int, buf []byte) (llc.Status, error)
	Test(r *llc.Request) bool
	// WaitAny waits until a request is complete, and returns its index, or until over holds, and returns -1. It
	// is reported as a wait of call. over is called as the condition of AwaitCollective is, and may not call the
	// transport; it may be nil.
	WaitAny(call string, rs []*llc.Request, over func() bool) int
	// WaitContext is Wait that ends with ctx's error when ctx ends. The transfer may
	// then still complete: Cancel withdraws it if possible.
	WaitContext(ctx context.Context, r *llc.Request) error
	// Cancel withdraws a transfer that has not matched yet, and reports whether it did.
	// A withdrawn request is complete.
	Cancel(r *llc.Request) bool
	// Probe looks for a message without receiving it.
	Probe(ctx uint16, src, tag int) (llc.Status, bool)
	// ProbeUntil is Probe that waits for a message, or until over holds: see WaitAny.
	ProbeUntil(call string, ctx uint16, src, tag int, over func() bool) (llc.Status, bool)
	// Match is Probe without block that reserves the message for a receive from its
	// source in context as with tag handle; the returned status has the message's own
	// tag.
	Match(ctx uint16, src, tag int, as uint16, handle int) (llc.Status, bool)
	// Unreceived calls visit for each message that waits for a receive, in order of
	// arrival within each context. visit must not call the transport.
	Unreceived(visit func(ctx uint16, m llc.Status))
	// Addressed reports whether messages to a peer may be in flight. The next message
	// to it arrives after those.
	Addressed(peer int) bool
	// Open sets which messages a context accepts from now on: those whose type has the
	// bits of want where mask has ones.
	Open(ctx uint16, mask, want uint32)
	// Shut has a context accept none, and drops the messages that wait in it. Requests
	// that need it fail with llc.ErrShut, also at peers.
	Shut(ctx uint16)
	// Drain is Shut that leaves receives alone that wait: they still get their messages.
	// It returns how many these are; if none, the context is shut.
	Drain(ctx uint16) (waiting int)
	// Host returns the number of the host of a rank. FlagArray, Memory, Remote,
	// Atomics, Locker and Vectors are for ranks on one host.
	Host(peer int) int
	// FlagArray returns the flag array of the network, or nil. Its flags are raised in
	// begin of AwaitCollective, or by Perform.
	FlagArray() ir.FlagArray
	// Sequences returns how many sequences the barrier controllers of the network keep,
	// 0 if there are none.
	Sequences() int
	// Codes opens a sequence of the barrier controllers of the network, see
	// [ir.Controller]; it returns nil if there is none of that number. Codes are used
	// in begin and cond of AwaitCollective, and within Perform.
	Codes(sequence int, peers []int, base uint64) (ir.Codes, error)
	// Switch returns the sets of the network, or nil. Their sends are begun in begin of
	// AwaitCollective, or by Perform.
	Switch() ir.Switch
	// Memory returns the memory that ranks share, or nil.
	Memory() ir.Memory
	// Remote gives access to exposed memory of other ranks, or is nil.
	Remote() ir.Remote
	// Atomics updates words of other ranks, Locker has the locks that the network
	// keeps, and Vectors is the memory on the boards of network interfaces; each may be
	// nil. They are used in begin and cond of AwaitCollective, and within Perform.
	Atomics() ir.Atomics
	Locker() ir.Locker
	Vectors() ir.Vectors
	// GiveWay returns what gives the processor to others once, for a rank that polls
	// memory, or nil if each rank has a processor.
	GiveWay() func()
	// Wake has a rank that waits in AwaitCollective, or for over, check its condition again.
	Wake(peer int)
	// AwaitCollective calls begin, unless it is nil, and makes progress until cond
	// holds. call is the call of the program, and c describes it.
	AwaitCollective(call string, c *ir.Collective, begin func(), cond func() bool)
	// Perform calls f, as AwaitCollective calls begin, and does not wait.
	Perform(f func())
	// Carrier advances operations whose transfers are complete, in any call that makes
	// progress; or is nil.
	Carrier() port.Carrier
	// Survive has the end of a rank end only the requests that name it, and has died
	// called for it, once; died must not call the transport. It reports whether the
	// transport can do so; if not, nothing changes.
	Survive(died func(peer int, why error)) bool
	// Close ends all use, after everything sent has left.
	Close() error
}
