package llc

import "rhinet/llc/ir"

// AnyPeer and AnyTag are wildcards of a receive.
const (
	AnyPeer = -1
	AnyTag  = -1
)

// A Mode is the completion rule of a send (MPI 4.1, section 3.4).
type Mode uint8

// Standard completes when the buffer may be reused; Synchronous also waits
// until the matching receive has started.
const (
	Standard Mode = iota
	Synchronous
)

// A Status describes a completed receive or a probed message.
type Status struct {
	Source int   // sending peer
	Tag    int   // its tag
	Bytes  int64 // message size in bytes; of a truncated message, what was sent
	Err    error // nil, ErrTruncated, ErrCancelled, or the translator's refusal
}

// A Request is one send or receive, posted by [Engine.Send] or [Engine.Recv].
// The caller fills the exported fields above Status and owns the request again
// when Done reports true; in between it belongs to the engine and must stay in
// place. The zero value is ready for use, and a done request may be reused.
type Request struct {
	Peer    int    // destination, or source (AnyPeer)
	Context uint16 // communication context: only equal contexts match
	Tag     int    // not negative, or AnyTag for a receive
	Mode    Mode   // sends only
	Buf     []byte // what to send, or where to receive

	Status Status // valid when done

	done bool
	// The engine adds its own links and state here.
}

// Done reports whether the request has completed.
func (r *Request) Done() bool { return r.done }

var _ = ir.Inline
