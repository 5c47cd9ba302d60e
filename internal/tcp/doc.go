// Package tcp is sockets for packets between hosts, without Go's poller: each call is at most one
// call of the system, does not block, and does not tell the scheduler, so that who polls finds a packet as soon as
// the system has it. A [Poller] says which of many sockets have something, and is what sleepers wait for.
//
// It is for Linux; elsewhere [Listen] fails.
package tcp

import "errors"

// ErrUnavailable reports a system that has no such sockets.
var ErrUnavailable = errors.New("TCP sockets that are polled are for Linux")

// A Socket is a descriptor of a stream, or of what streams come to.
type Socket int

// None is no socket.
const None Socket = -1

// A Ready is a socket that has something.
type Ready struct {
	Key int  // which Add was given
	In  bool // Recv, Accept or Connected has news
	Out bool // Send may take something
}
