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

// Seen is what is to be noted of a request when it is complete.
type Seen uint8

// Nothing, that it has sent, or that it has received.
const (
	Unseen Seen = iota
	SeenSend
	SeenRecv
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
//
// Its fields lie so that those of a window of small messages share as few lines as can be: what
// few transfers need comes first, then a line each of what a transfer says, where it waits
// and who owns it, and how it ended.
type Request struct {
	Body Body // in the place of Buf, if it does not lie in one piece; a send is Scattered or Synchronous then
	// Collective says to which collective call the request belongs, or is nil; it is
	// for reports only.
	Collective *ir.Collective
	// Label names the call of the user that waits for the request, if it is
	// not plain from the port's own; it is for people only.
	Label string
	next  *Request   // in Engine.Completed
	lent  ir.Segment // a send to be offered whose memory is exposed already: see Engine.Offer
	_     [8]byte

	Peer int    // destination, or source (AnyPeer)
	Tag  int    // not negative and below 1<<31, or AnyTag for a receive
	Buf  []byte // what to send, or where to receive
	// Link is the caller's: a place in a list of requests.
	Link *Request
	// Type says what the message is made of, or must be: see fits.
	Type    uint32
	Context uint16 // communication context: only equal contexts match
	Mode    Mode   // sends only
	Notify  bool   // list the request in Engine.Completed when done, even if Send or Recv returns it done
	// Together ends this receive when a message of another type ends one that has
	// the same context and is Together as well.
	Together bool
	// Read says that what this receive brings is read when it is here.
	Read bool
	// Queued has the port's queue tell the end of the request; it is the port's.
	Queued bool
	// Seen is a note of whoever observes the transfers of a rank; nobody else looks at it.
	Seen Seen
	// Attended says that a call waits for this send, which has a Body: then this side is there to move it.
	Attended bool
	done     bool
	early    bool // a receive that its sender is invited to fill
	pending  bool // the engine's; kept where invariants are built in

	entry match.Receive[Request]
	// Owner is the caller's: what the request is a part of.
	Owner any

	Status Status // valid when done; of a send only Err
}

// alone reports whether this side copies n bytes of r by itself, because it reads them at once and the caches hold them.
func (r *Request) alone(n int) bool { return r.Read && n <= mostRead }

// pend gives the request to the engine, which must not have it.
func (r *Request) pend() {
	invariants.Check(!r.pending, badPending)
	r.pending = true
}

// Done reports whether the request has completed.
func (r *Request) Done() bool { return r.done }
