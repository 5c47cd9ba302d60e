package port

import "errors"

var (
	// ErrClosed: the port was closed before the call, or while it waited.
	ErrClosed = errors.New("port is closed")
	// ErrUnfinished is returned by Close if sends were left over that no peer
	// accepted.
	ErrUnfinished = errors.New("port closed although transfers were under way that nobody answered")
)
