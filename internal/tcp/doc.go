// Package tcp is sockets for packets between hosts, without Go's poller: each call is at most one system
// call, does not block, and does not tell the Go scheduler, so that a polling caller finds a packet as soon
// as the system has it. A [Poller] tells which of many sockets are ready, and is what sleepers wait for.
//
// It is for Linux; on other systems [Listen] fails.
package tcp

import "errors"

// ErrUnavailable reports a system without such sockets.
var ErrUnavailable = errors.New("TCP sockets that are polled are for Linux")

// A Socket is the descriptor of a stream, or of a listening socket.
type Socket int

// None is no socket.
const None Socket = -1

// A Ready is a socket that is ready.
type Ready struct {
	Key int  // as given to Add
	In  bool // Recv, Accept or Connected has a result
	Out bool // Send may have room
}
