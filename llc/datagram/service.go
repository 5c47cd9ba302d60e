package datagram

// A Service sends and receives datagrams. Its methods are called by one goroutine at a time.
type Service interface {
	// Send sends a datagram of at most MaxDatagram bytes to a peer. It may be lost.
	Send(peer int, b []byte)
	// Receive returns the oldest datagram, and its sender as it names itself, or a negative number. The
	// datagram stays until Release, which is called before the next Receive.
	Receive() (from int, b []byte)
	Release()
	// Arm has the next datagram ring the doorbell of the rank.
	Arm()
	// Left reports whether a peer was in the job and no longer receives anything.
	Left(peer int) bool
	Close() error
}

// MaxDatagram is what a service must carry, in bytes.
const MaxDatagram = 2048
