package llc

import (
	"errors"
	"fmt"

	"rhinet/llc/ir"
	"rhinet/llc/wire"
)

// Errors that the Err of a Status may be; compare with errors.Is.
var (
	// ErrTruncated: the message was longer than the receive's buffer, which
	// holds its beginning. The error is a *TruncatedError.
	ErrTruncated = errors.New("message truncated")
	// ErrCancelled: the receive was cancelled before a message matched.
	ErrCancelled = errors.New("receive cancelled")
	// ErrPeerGone: the other side died, or the way to it broke, before the request completed. The error is a
	// *PeerError that says why.
	ErrPeerGone = ir.ErrPeerGone
	// ErrRefused: a NIC refused to move the message.
	ErrRefused = errors.New("transfer refused")
	// ErrType: the message is not of the type that the receive wants. A send fails with it if the receive has
	// reported this. The error is a *TypeError.
	ErrType = errors.New("message of another type")
	// ErrShut: the context was shut while the receive waited. A send fails with it if the receiver has shut
	// the context and has not received the message.
	ErrShut = errors.New("the context is shut")
	// ErrTooMany: more transfers are under way than the engine can number.
	ErrTooMany = errors.New("too many transfers under way")
)

// A TruncatedError says by how much a message did not fit.
type TruncatedError struct {
	Bytes int64 // size of the message
	Room  int64 // size of the buffer
}

func (e *TruncatedError) Error() string {
	return fmt.Sprintf("%d bytes do not fit %d", e.Bytes, e.Room)
}

// Is makes errors.Is(err, ErrTruncated) hold.
func (e *TruncatedError) Is(target error) bool { return target == ErrTruncated }

// A TypeError says how a message and its receive differ.
type TypeError struct {
	Sent uint32 // type of the message
	Want uint32 // type of the receive
}

func (e *TypeError) Error() string {
	return fmt.Sprintf("message of type %#x for a receive of type %#x", e.Sent, e.Want)
}

// Is makes errors.Is(err, ErrType) hold.
func (e *TypeError) Is(target error) bool { return target == ErrType }

// A PeerError is a failure of a request that involves Peer.
type PeerError struct {
	Peer int
	Err  error // wraps ErrPeerGone, ErrRefused, ErrType or ErrShut, or is what the translator reported
}

func (e *PeerError) Error() string { return fmt.Sprintf("peer %d: %v", e.Peer, e.Err) }

// Unwrap returns Err.
func (e *PeerError) Unwrap() error { return e.Err }

// A ProtocolError is returned by [Engine.Step] for a packet that no correct peer sends, or an event that
// answers no command. The engine has ignored it.
type ProtocolError struct {
	Peer  int    // the peer that sent it
	Event string // kind of packet or event
	What  string // what is wrong with it
	// Lost says that something the peer sent is lost with it, so that waits for the peer may never end: see
	// [Engine.Lose].
	Lost bool
}

func (e *ProtocolError) Error() string {
	return fmt.Sprintf("peer %d sent a bad %s: %s", e.Peer, e.Event, e.What)
}

// protocolError reports a packet that cannot be right.
func protocolError(ev *ir.Event, format string, args ...any) error {
	return &ProtocolError{Peer: int(ev.Peer), Event: wire.KindName(ev.Header.Kind) + " packet", What: fmt.Sprintf(format, args...), Lost: true}
}

// refused wraps the error of a NIC so that errors.Is finds both.
func refused(err error) error {
	if err == nil {
		return ErrRefused
	}
	return fmt.Errorf("%w: %w", ErrRefused, err)
}

// Contracts between packages: a caller that breaks one panics with its text.
const (
	badConfig   = "llc: Config wants 0 <= Self < Peers <= ir.MaxPeers, a usable ring in Caps and no negative RingMemory or Ports"
	badTag      = "llc: the tag of a send must be in 0..1<<31-1, that of a receive may be AnyTag"
	badPeer     = "llc: the source of a receive must be a peer or AnyPeer"
	badPending  = "llc: request posted again before it was done"
	badComplete = "llc: request completed that was not under way"
	badMove     = "llc: a machine goes where no arrow leads"
)
