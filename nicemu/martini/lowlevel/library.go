package lowlevel

import (
	"encoding/binary"
	"errors"
	"fmt"
	"time"

	"rhinet/internal/wait"
	"rhinet/nicemu/martini"
)

// Options of a Library. The zero value is right for most programs.
type Options struct {
	// Policy says how to poll; the zero Policy sleeps between polls.
	Policy wait.Policy
	// Alive is called from time to time during long waits; an error ends them.
	Alive func() error
	// Pinned bounds the unused memory that the pin-down cache keeps pinned, in bytes; 0 means 64
	// MiB.
	Pinned int
}

// A Library is the user library of one process.
type Library struct {
	nic    *martini.NIC
	window *martini.Window
	o      Options
	mem    []byte // communication memory
	box    []byte // pinned: sources and targets of the library's own transfers
	pin    martini.Pin
	cache  *PinCache
	peers  []peer
	locks  [Locks]lock
}

// Errors of the library, besides the NIC's refusals.
var (
	ErrArgument  = errors.New("lowlevel: wrong argument")
	ErrTruncated = errors.New("lowlevel: message does not fit the buffer")
	ErrCorrupt   = errors.New("lowlevel: a peer's table holds what no honest peer writes")
	ErrHeld      = errors.New("lowlevel: the lock is held, or wanted, already")
	ErrNotHeld   = errors.New("lowlevel: the lock is not held")
)

// Open opens the library on a NIC, and uses all of its communication memory. All processes of a job
// open it before they communicate.
func Open(nic *martini.NIC, o Options) (*Library, error) {
	l := &Library{nic: nic, window: nic.Window(0), o: o, mem: nic.Common(), box: make([]byte, 2*descriptorBytes)}
	var err error
	if l.pin, err = nic.Pin(l.box); err != nil {
		return nil, err
	}
	if need := frontBytes + nic.Ranks()*peerBytes; len(l.mem) < need {
		err = fmt.Errorf("lowlevel: %d bytes of communication memory; %d processes take %d", len(l.mem), nic.Ranks(), need)
		return nil, errors.Join(err, nic.Unpin(l.pin))
	}
	l.cache = NewPinCache(nic, o.Pinned)
	l.peers = make([]peer, nic.Ranks())
	return l, nil
}

// Close unpins and deregisters the library's memory. Locks that are still held are released, with
// an error.
func (l *Library) Close() error {
	return errors.Join(l.unlockAll(), l.cache.Flush(), l.nic.Unpin(l.pin))
}

// Cache returns the pin-down cache.
func (l *Library) Cache() *PinCache { return l.cache }

func (l *Library) checkPeer(p int) error {
	if uint(p) >= uint(len(l.peers)) {
		return fmt.Errorf("%w: process %d; there are 0 to %d", ErrArgument, p, len(l.peers)-1)
	}
	return nil
}

// request names a place in a peer's communication memory.
func request(node, at int) martini.Request {
	return martini.Request{Node: node, Segment: martini.CommonSegment, Offset: uint64(at)}
}

// flag PUSHes one double word to a place in a peer's communication memory.
func (l *Library) flag(node, at int, v uint64) error {
	b := l.box[descriptorBytes : descriptorBytes+flagBytes]
	binary.NativeEndian.PutUint64(b, v)
	return l.window.Push(request(node, at), b)
}

// nap is how long a long wait sleeps between polls.
const nap = 50 * time.Microsecond

// pause is called between polls.
func (l *Library) pause(b *wait.Backoff) error {
	if !b.Pause() {
		return nil
	}
	if l.o.Alive != nil {
		if err := l.o.Alive(); err != nil {
			return err
		}
	}
	time.Sleep(nap)
	return nil
}
