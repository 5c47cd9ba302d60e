package mpi

import (
	"errors"
	"slices"
	"sync"
)

// BsendOverhead is the most that a message in buffered mode needs in its buffer besides
// its bytes (MPI_BSEND_OVERHEAD).
//
// MPI 4.1, section 3.6.
const BsendOverhead = 64

// A sendBuffer is memory for messages in buffered mode. Each message occupies a range
// of it until it is sent. The zero value is not attached.
type sendBuffer struct {
	mu    sync.Mutex
	mem   []byte
	on    bool
	auto  bool
	parts []sendPart // in the order of their ranges
}

// A sendPart is one message in flight.
type sendPart struct {
	at, end int
	r       Request
}

func (b *sendBuffer) attached() bool {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.on
}

func (b *sendBuffer) attach(c *Comm, s site, mem []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if b.on {
		return c.errorAt(s, ErrBuffer, "a buffer is attached already; detach it first")
	}
	b.mem, b.on, b.auto = mem, true, mem == nil
	return nil
}

func (b *sendBuffer) detach(c *Comm, s site) ([]byte, error) {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return nil, c.errorAt(s, ErrBuffer, "no buffer is attached")
	}
	err := b.drain()
	mem := b.mem
	b.mem, b.on, b.auto = nil, false, false
	return mem, err
}

func (b *sendBuffer) flush() error {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.drain()
}

// drain waits until every message is sent.
func (b *sendBuffer) drain() error {
	var failed error
	for i := range b.parts {
		_, err := b.parts[i].r.Wait()
		failed = errors.Join(failed, err)
	}
	b.parts = nil
	return failed
}

// send copies data to the buffer and sends it from there. The failure of an earlier
// message, whose call has returned, is not reported.
func (b *sendBuffer) send(c *Comm, s site, e *elem, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return c.errorAt(s, ErrBuffer, "no buffer is attached; use AttachBuffer or BufferAttach first")
	}
	b.parts = slices.DeleteFunc(b.parts, func(p sendPart) bool { _, done, _ := p.r.Test(); return done })
	var copied []byte
	i, from := len(b.parts), 0
	if b.auto {
		copied = append(copied, data...)
	} else {
		if i, from = b.place(len(data)); i < 0 {
			return c.errorAt(s, ErrBuffer, "%d bytes do not fit the attached buffer of %d, of which %d wait to be sent; attach a larger one, or flush it",
				len(data), len(b.mem), b.used())
		}
		copied = b.mem[from : from+len(data)]
		copy(copied, data)
	}
	r := c.begin(s, e, copied, sending)
	c.disown(r.p)
	b.parts = slices.Insert(b.parts, i, sendPart{from, from + len(data), r})
	return nil
}

// place finds room for n bytes: it returns the index of the part before which they fit,
// and where they begin; or -1. Messages begin at multiples of 8, since a NIC may move
// words.
func (b *sendBuffer) place(n int) (i, from int) {
	for i := range b.parts {
		if from+n <= b.parts[i].at {
			return i, from
		}
		from = (b.parts[i].end + 7) &^ 7
	}
	if from+n <= len(b.mem) {
		return len(b.parts), from
	}
	return -1, 0
}

func (b *sendBuffer) used() (n int) {
	for _, p := range b.parts {
		n += p.end - p.at
	}
	return n
}
