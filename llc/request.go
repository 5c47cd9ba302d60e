package llc

import (
	"rhinet/internal/invariants"
	"rhinet/llc/ir"
	"rhinet/llc/match"
)

// AnyPeer and AnyTag are wildcards of a receive.
const (
	AnyPeer = match.Any
	AnyTag  = match.Any
)

// A Key is the context and the type of a message in one.
type Key uint64

// MakeKey returns the key of a context and a type.
func MakeKey(ctx uint16, typ uint32) Key { return Key(ctx) | Key(typ)<<32 }

// Context returns the context.
func (k Key) Context() uint16 { return uint16(k) }

// Type returns the type.
func (k Key) Type() uint32 { return uint32(k >> 32) }

// A Mode is the completion rule of a send (MPI 4.1, section 3.4).
type Mode uint8

// Standard completes when the buffer may be reused; Synchronous also waits
// until the matching receive has started. Scattered is Standard of a message that
// has a Body: so the path of a small message need not ask for one.
const (
	Standard Mode = iota
	Synchronous
	Scattered
)

// A Status describes a completed receive or a probed message (MPI 4.1, section
// 3.2.5).
type Status struct {
	Source int   // sending peer
	Tag    int   // its tag
	Bytes  int64 // message size in bytes; of a truncated message, what was sent
	Err    error // nil, or one that errors.Is finds to be ErrTruncated, ErrType, ErrShut, ErrCancelled, ErrPeerGone or ErrRefused
}

// A Request is one send or receive (llc, section 3.1), posted by [Engine.Send] or [Engine.Recv].
// The caller fills the exported fields above Status, and Label, and owns the request again
// when Done reports true; in between it belongs to the engine and must stay in
// place. The zero value is ready for use, and a done request may be reused.
//
// Whoever holds the lock of the engine's port may read Done.
type Request struct {
	Peer    int    // destination, or source (AnyPeer)
	Context uint16 // communication context: only equal contexts match
	Tag     int    // not negative and below 1<<31, or AnyTag for a receive
	Mode    Mode   // sends only
	Notify  bool   // list the request in Engine.Completed when done, even if Send or Recv returns it done
	Buf     []byte // what to send, or where to receive
	Body    Body   // in its place, if it does not lie in one piece; a send is Scattered or Synchronous then
	// Type says what the message is made of, or must be: see fits.
	Type uint32
	// Together ends this receive when a message of another type ends one that has
	// the same context and is Together as well.
	Together bool

	Status Status // valid when done; of a send only Err

	done    bool
	pending bool     // the engine's; kept where invariants are built in
	next    *Request // in Engine.Completed
	entry   match.Receive[Request]

	// Collective says to which collective call the request belongs, or is nil; it is
	// for reports only.
	Collective *ir.Collective
	// Label names the call of the user that waits for the request, if it is
	// not plain from the port's own; it is for people only.
	Label string
}

// pend gives the request to the engine, which must not have it.
func (r *Request) pend() {
	invariants.Check(!r.pending, badPending)
	r.pending = true
}

// Done reports whether the request has completed.
func (r *Request) Done() bool { return r.done }
