package llc

import (
	"strings"

	"rhinet/internal/invariants"
	"rhinet/llc/ir"
	"rhinet/llc/match"
)

// AnyPeer and AnyTag are wildcards of a receive.
const (
	AnyPeer = match.Any
	AnyTag  = match.Any
)

// A Key is a context and a type in one word.
type Key uint64

// MakeKey returns the key of a context and a type.
func MakeKey(ctx uint16, typ uint32) Key { return Key(ctx) | Key(typ)<<32 }

// Context returns the context.
func (k Key) Context() uint16 { return uint16(k) }

// Type returns the type.
func (k Key) Type() uint32 { return uint32(k >> 32) }

// A Mode is the completion rule of a send (MPI 4.1, section 3.4).
type Mode uint8

// Standard completes when the buffer may be reused; Synchronous also waits until the matching receive has
// started. Scattered is Standard for a message that has a Body: so the path of a small message need not ask
// for one.
const (
	Standard Mode = iota
	Synchronous
	Scattered
)

// Seen is what an observer notes of a request when it is complete.
type Seen uint8

// Nothing, a send, or a receive.
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

// Serving is the Label of requests with which a rank serves others, and of those for which only the runtime waits.
// No call of the program waits for them, so reports leave out waits for them. A note may follow: see Request.Label.
const Serving = "serving"

// Serves reports whether a label is Serving, perhaps with a note.
func Serves(label string) bool {
	rest, serves := strings.CutPrefix(label, Serving)
	return serves && (rest == "" || rest[0] == ' ')
}

// A Request is one send or receive (llc, section 3.1), posted by [Engine.Send] or [Engine.Recv]. The caller
// fills the exported fields above Status, and Label, and owns the request again when Done reports true; in
// between it belongs to the engine and must stay in place. The zero value is ready for use, and a done
// request may be reused.
//
// The holder of the lock of the engine's port may read Done.
//
// The fields are placed so that the requests of a window of small messages touch as few lines as possible:
// what few transfers need comes first, then a line each of what a transfer says, where it waits and who owns
// it, and how it ended.
type Request struct {
	Body Body // in place of Buf, if the message is not contiguous; the Mode of a send is then Scattered or Synchronous
	// Collective names the collective call that the request belongs to, or is nil; it is for reports only.
	Collective *ir.Collective
	// Label names the call of the user that waits for the request, if the port's own name for it does not
	// tell; it is for messages only. After the name there may be a blank and a note, which reports show in
	// place of the tag: that is not the program's then.
	Label string
	next  *Request   // in Engine.Completed
	lent  ir.Segment // the exposed memory of a send that will be offered: see Engine.Offer
	// Looked is when a Test has last looked for the end of the request in vain; it is the port's.
	Looked uint32
	// Waiter is the number of the goroutine that sleeps until the request is done, 0 if none does; it is the port's.
	Waiter uint32

	Peer int    // destination, or source (AnyPeer)
	Tag  int    // not negative and below 1<<31, or AnyTag for a receive
	Buf  []byte // what to send, or where to receive
	// Link is the caller's: the next request of a list.
	Link *Request
	// Type is the type of a message, or the type that a receive wants: see fits.
	Type    uint32
	Context uint16 // communication context: only equal contexts match
	Mode    Mode   // sends only
	Notify  bool   // list the request in Engine.Completed when done, even if Send or Recv returns it done
	// Together has this receive fail when a message of another type fails one that has the same context and
	// is Together as well.
	Together bool
	// Read says that the caller reads the received data as soon as it is here.
	Read bool
	// Queued says that the port's queue reports the end of the request; it is the port's.
	Queued bool
	// Seen is a note of an observer of the rank's transfers; nothing else reads it.
	Seen Seen
	// Attended says that a call waits for this send, which has a Body: then this side is there to move it.
	Attended bool
	done     bool
	early    bool // a receive whose sender is invited to fill it
	pending  bool // the engine's; only kept in builds with invariants

	entry match.Receive[Request]
	// Owner is the caller's: the operation that the request is a part of.
	Owner any

	Status Status // valid when done; of a send only Err
}

// alone reports whether this side copies n bytes of r by itself, because the caller reads them at once and
// they fit the caches.
func (r *Request) alone(n int) bool { return r.Read && n <= mostRead }

// pend gives the request to the engine, which must not have it already.
func (r *Request) pend() {
	invariants.Check(!r.pending, badPending)
	r.pending = true
}

// Waits reports whether the request is a receive for which no message has come. Only the holder of the lock of the
// engine's port may call it.
func (r *Request) Waits() bool { return r.entry.Waits() }

// Done reports whether the request has completed.
func (r *Request) Done() bool { return r.done }
