package ring

import (
	"sync/atomic"

	"rhinet/internal/vec"
)

// guardBytes keeps words of different owners apart: processors fetch lines in
// pairs.
const guardBytes = 2 * LineBytes

// A Layout is the shape of a packet ring: Slots slots, then the counters that the
// reader exports, then a data area of Bytes bytes. Both are powers of two, at least
// 2 and 64.
type Layout struct {
	Slots  int
	Bytes  int
	Spread bool // see [Place]
}

// Size returns the bytes of memory that the ring takes, a multiple of a line.
func (l Layout) Size() int { return l.Data() + l.Bytes }

// Counters returns the offset of the line with the reader's exported counters:
// word 0 the lines, word 1 the data positions consumed so far. The reader owns it.
func (l Layout) Counters() int { return l.Slots * SlotBytes }

// Data returns the offset of the data area.
func (l Layout) Data() int { return l.Counters() + guardBytes }

// MaxPayload returns the longest payload, in bytes, that finds room whatever
// the ring carried before: half the data area, because payloads do not wrap.
func (l Layout) MaxPayload() int { return max(l.Bytes/2, Short) }

func (l Layout) valid() bool {
	return l.Slots >= 2 && l.Slots&(l.Slots-1) == 0 && l.Bytes >= LineBytes && l.Bytes&(l.Bytes-1) == 0
}

// A Ring is a packet ring in memory, as its writer sees it. It keeps no position: the owner, which also
// accounts for room, says where the next packet goes.
type Ring struct {
	lines    []Line
	data     []byte
	counters *Line
	mask     uint64 // slots-1
	size     uint64 // len(data)
	spread   bool
	sum      uint64      // of the header words of all packets put: see [Tally]
	short    [Short]byte // payload that is gathered for its slot
	came     *uint64     // packets of the reader's ring to this writer that have been taken; nil: not known
	known    uint64      // *came at the latest payload of at most demoteBytes
	alone    bool        // known was then one more than at the payload before

	ahead      uint64 // the data position from which on lines have been prefetched for the next packet
	aheadBytes int    // and how many bytes

	long passage
}

// Open views mem as a packet ring. mem must start on a line and hold at least l.Size() bytes. It is not
// cleared: new memory is zero.
func Open(mem []byte, l Layout) Ring {
	if !l.valid() {
		panic(badLayout)
	}
	if len(mem) < l.Size() {
		panic(shortMemory)
	}
	lines := linesOf(mem)
	return Ring{
		lines:    lines[:l.Slots*slotLines],
		data:     mem[l.Data():l.Size():l.Size()],
		counters: &lines[l.Slots*slotLines],
		mask:     uint64(l.Slots) - 1,
		size:     uint64(l.Bytes),
		spread:   l.Spread,
	}
}

// Put writes packet number slot with the given header words (sequence and length bits are replaced) and
// payload, and prefetches the next line. pos is the ring's next free data position, next the one after the
// packet. There must be room for it.
func (r *Ring) Put(slot, pos uint64, head *[3]uint64, payload []byte) (next uint64) {
	n := len(payload)
	if n <= Short {
		put(r, slot, head, payload)
		return pos
	}
	place, next := r.place(pos, n)
	if r.spread && vec.Past(n) {
		r.long.write(place, payload)
	} else {
		vec.Copy(place, payload)
	}
	r.placed(slot, head, place, next)
	return next
}

// place returns the memory for a payload of n bytes, more than Short, and the data position after it.
func (r *Ring) place(pos uint64, n int) (memory []byte, next uint64) {
	if uint64(n) > r.size {
		panic(longPayload)
	}
	at, next := Place(pos, r.size, n, r.spread)
	if at != r.ahead || n > r.aheadBytes {
		r.prefetch(at, n)
	}
	return r.data[at&(r.size-1):][:n:n], next
}

// placed writes the line of a packet whose payload is in its place.
func (r *Ring) placed(slot uint64, head *[3]uint64, payload []byte, next uint64) {
	put(r, slot, head, payload)
	if len(payload) <= demoteBytes && r.awaited() {
		vec.Demote(payload)
	}
	r.prefetch(next, len(payload))
	r.ahead, r.aheadBytes = next, len(payload)
}

// A Gatherer has a payload that is not contiguous.
type Gatherer interface {
	// Gather fills dst with the bytes from number off on.
	Gather(dst []byte, off int)
}

// Gather is [Ring.Put] of the n bytes of from that begin with number off. If there are more than Short, they are
// gathered straight into the ring.
func (r *Ring) Gather(slot, pos uint64, head *[3]uint64, from Gatherer, off, n int) (next uint64) {
	if n <= Short {
		from.Gather(r.short[:n], off)
		put(r, slot, head, r.short[:n])
		return pos
	}
	place, next := r.place(pos, n)
	from.Gather(place, off)
	r.placed(slot, head, place, next)
	return next
}

// demoteBytes is the longest payload whose lines [Ring.Put] hands on to the cache that the cores share,
// once its line is written and if the reader most likely waits for it: the reader finds them there in half
// the time. This costs the writer some 6 ns a line, so it does not pay for many packets in a row, and with
// longer payloads the writer loses as much as the reader gains. 512 bytes take 0.25 us one way instead of
// 0.33, 1 KiB 0.32 instead of 0.40.
const demoteBytes = 1 << 10

// awaited reports whether the reader most likely waits for the payload that is being put: exactly one
// packet has come from the reader between the previous payload and this one, and between the two before. A
// sender of several packets in a row, or of one answer to several packets, is not being waited for.
func (r *Ring) awaited() bool {
	if r.came == nil || !r.spread {
		return false
	}
	alone := *r.came == r.known+1
	also := r.alone
	r.known, r.alone = *r.came, alone
	return alone && also
}

// prefetch prefetches the lines of a payload of n bytes at pos for write, if that pays. The reader has used
// them last: each comes from another core, and a copy waits for a few at a time. Put prefetches the lines
// of the packet, and those of the next packet in case it is as long: most often they have come by the time
// it is sent. 4 KiB take 0.84 us one way instead of 1.04 us, a stream of 64 bytes 0.15 instead of 0.25.
func (r *Ring) prefetch(pos uint64, n int) {
	if !r.spread || vec.ByLines(n) || r.long.past(n) {
		return
	}
	if at := pos & (r.size - 1); at+uint64(n) <= r.size {
		prefetchLines(&r.data[at], (n+LineBytes-1)/LineBytes)
	}
}

// PutLine is Put of a packet whose payload has at most Short bytes, or is already in its place in the data area.
func (r *Ring) PutLine(slot uint64, head *[3]uint64, payload []byte) {
	put(r, slot, head, payload)
}

// Sum returns the sum of the header words of all packets that this Ring has put.
func (r *Ring) Sum() uint64 { return r.sum }

// Consumed returns the lines and data positions that the reader has consumed. Each may be old,
// independently of the other, but is never ahead of an honest reader; the caller checks them against what
// it sent.
func (r *Ring) Consumed() (slot, pos uint64) {
	return atomic.LoadUint64(&r.counters[0]), atomic.LoadUint64(&r.counters[1])
}
