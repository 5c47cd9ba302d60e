package mpi

import (
	"errors"
	"slices"
	"sync"

	"rhinet/llc"
)

// BsendOverhead is the most that a message in buffered mode needs in its buffer besides
// its bytes (MPI_BSEND_OVERHEAD).
//
// MPI 4.1, section 3.6.
const BsendOverhead = 64

// A sendBuffer is memory for messages in buffered mode. Each message occupies a range
// of it until it is sent. The zero value is not attached. A send in buffered mode is
// local (MPI 4.1, section 3.4), so the lock is not held while a call waits.
type sendBuffer struct {
	mu    sync.Mutex
	mem   []byte
	on    bool
	auto  bool
	parts []*sendPart // in the order of their ranges
	sends int         // so far
}

// A sendPart is one message in flight.
type sendPart struct {
	at, end int
	r       Request       // of one goroutine at a time: the one that holds the lock, or that has made done
	number  int           // among all sends
	done    chan struct{} // nil, or closed when the message is sent: a goroutine waits for that
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
	if mem == nil || len(mem) > 0 { // no bytes are as good as no buffer
		b.mem, b.on, b.auto = mem, true, mem == nil
	}
	return nil
}

// detach waits until all messages are sent, in a call of c.
func (b *sendBuffer) detach(c *Comm, call string) ([]byte, error) {
	var failed error
	for {
		b.mu.Lock()
		if !b.on {
			b.mu.Unlock()
			return []byte{}, nil
		}
		if len(b.parts) == 0 {
			mem := b.mem
			b.mem, b.on, b.auto = nil, false, false
			b.mu.Unlock()
			return mem, failed
		}
		b.mu.Unlock()
		failed = errors.Join(failed, b.flush(c, call, b.last()))
	}
}

// last returns the number of the last message so far.
func (b *sendBuffer) last() int {
	b.mu.Lock()
	defer b.mu.Unlock()
	return b.sends
}

// flush waits until the messages up to number last are sent. The label is that of the waits; c may be any communicator
// of the process.
func (b *sendBuffer) flush(c *Comm, label string, last int) (failed error) {
	for {
		b.mu.Lock()
		i := slices.IndexFunc(b.parts, func(p *sendPart) bool { return p.number <= last })
		if i < 0 {
			b.mu.Unlock()
			return failed
		}
		p := b.parts[i]
		if p.done != nil { // another goroutine waits for it, and gets its error
			b.mu.Unlock()
			if !llc.Serves(label) {
				c.sleepUntil(label, p.done)
			}
			<-p.done
			continue
		}
		p.done = make(chan struct{})
		b.mu.Unlock()
		p.r.label(label)
		_, err := p.r.Wait()
		failed = errors.Join(failed, err)
		b.mu.Lock()
		b.parts = slices.DeleteFunc(b.parts, func(q *sendPart) bool { return q == p })
		b.mu.Unlock()
		close(p.done)
		c.rouse()
	}
}

// send copies data to the buffer and sends it from there. The failure of an earlier
// message, whose call has returned, is not reported.
func (b *sendBuffer) send(c *Comm, s site, e *elem, data []byte) error {
	b.mu.Lock()
	defer b.mu.Unlock()
	if !b.on {
		return c.errorAt(s, ErrBuffer, "no buffer is attached; use AttachBuffer or BufferAttach first")
	}
	b.parts = slices.DeleteFunc(b.parts, (*sendPart).sent)
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
	b.sends++
	b.parts = slices.Insert(b.parts, i, &sendPart{at: from, end: from + len(data), r: r, number: b.sends})
	return nil
}

// sent reports whether the message is sent, and nobody waits for that.
func (p *sendPart) sent() bool {
	if p.done != nil {
		return false
	}
	_, done, _ := p.r.Test()
	return done
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
