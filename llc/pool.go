package llc

import (
	"math/bits"

	"rhinet/internal/invariants"
)

// smallBuffer is the size up to which a waiting message holds its bytes in the record.
const smallBuffer = 128

// A pool keeps records and buffers for reuse, so that a steady state allocates nothing. It is bounded: what a
// burst needed beyond that is freed.
type pool struct {
	entries  *sendEntry
	messages *message
	spare    [2]int     // records in the two lists
	buffers  [][][]byte // by the number of bits of their size
}

// init prepares for buffers whose sizes have at most the given number of bits.
func (b *pool) init(sizeBits int) { b.buffers = make([][][]byte, sizeBits+2) }

func (b *pool) entry() *sendEntry {
	t := b.entries
	if t == nil {
		return &sendEntry{}
	}
	b.entries, t.next = t.next, nil
	b.spare[0]--
	return t
}

func (b *pool) keepEntry(t *sendEntry) {
	if b.spare[0] < recordsKept {
		*t = sendEntry{}
		t.next = b.entries
		b.entries = t
		b.spare[0]++
	}
}

func (b *pool) message() *message {
	m := b.messages
	if m == nil {
		m = &message{}
	} else {
		b.messages, m.next = m.next, nil
		b.spare[1]--
	}
	m.entry.Owner = m
	return m
}

func (b *pool) keepMessage(m *message) {
	if cap(m.buf) > smallBuffer {
		b.keepBuffer(m.buf)
	}
	if b.spare[1] < recordsKept {
		next := b.messages
		m.kind, m.id, m.typ, m.segment, m.self, m.buf, m.got, m.next = 0, 0, 0, 0, nil, nil, 0, next
		b.messages = m
		b.spare[1]++
	}
}

// buffer returns n bytes for a waiting message.
func (b *pool) buffer(m *message, n int) []byte {
	if n <= smallBuffer {
		return m.small[:n:smallBuffer]
	}
	class := bits.Len(uint(n - 1))
	if free := b.buffers[class]; len(free) > 0 {
		buf := free[len(free)-1]
		b.buffers[class] = free[:len(free)-1]
		return buf[:n]
	}
	return make([]byte, n, 1<<class)
}

func (b *pool) keepBuffer(buf []byte) {
	buf = buf[:cap(buf)]
	class := bits.Len(uint(len(buf) - 1))
	if invariants.Enabled {
		invariants.Scramble(buf)
	}
	if len(b.buffers[class]) < buffersKept {
		b.buffers[class] = append(b.buffers[class], buf)
	}
}
