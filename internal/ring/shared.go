package ring

import "sync/atomic"

// MaxShared is the largest payload, in bytes, of one record of a shared ring
// that is large enough for it: the MTU of 2048 bytes less the 8 bytes by which
// a message is framed (pm-messaging, section 1.5.4).
const MaxShared = 2048 - 8

// A SharedLayout is the shape of a shared ring: the receive pointer, the
// release pointer, then Lines lines (a power of two, at least 64).
type SharedLayout struct{ Lines int }

// MaxPayload returns the longest payload, in bytes, of one record. A record
// takes at most half the lines, so that an empty ring has room for it wherever
// it starts, what is skipped before the end included.
func (l SharedLayout) MaxPayload() int { return min(MaxShared, (l.Lines/2-1)*LineBytes) }

// Size returns the bytes of memory that the ring takes, a multiple of a line.
func (l SharedLayout) Size() int { return 2*guardBytes + l.Lines*LineBytes }

// pad is the length of a record that only fills the lines up to the end of the
// ring, because the record after it did not fit there.
const pad = 0xffff

// sharedMem is what both sides see of a shared ring.
type sharedMem struct {
	reserved *uint64 // receive pointer: lines reserved; written by all writers
	released *uint64 // release pointer: lines consumed; written by the reader only
	lines    []Line
	bytes    []byte // the same lines
	mask     uint64
	most     int // bytes of the longest payload
}

func openShared(mem []byte, l SharedLayout) sharedMem {
	if l.Lines < 64 || l.Lines&(l.Lines-1) != 0 {
		panic(badShared)
	}
	if len(mem) < l.Size() {
		panic(shortMemory)
	}
	all := linesOf(mem[:l.Size()])
	const head = 2 * guardBytes
	return sharedMem{
		reserved: &all[0][0],
		released: &all[guardBytes/LineBytes][0],
		lines:    all[head/LineBytes:],
		bytes:    mem[head:l.Size():l.Size()],
		mask:     uint64(l.Lines) - 1,
		most:     l.MaxPayload(),
	}
}

// extent returns the lines of a record with n payload bytes.
func extent(n int) uint64 {
	if n <= Inline {
		return 1
	}
	return 1 + (uint64(n)+LineBytes-1)/LineBytes
}

// A SharedWriter appends to a shared ring. Any number of them, in any number
// of processes, may append at once; one may be used by many goroutines.
type SharedWriter struct{ sharedMem }

// NewSharedWriter views mem, which starts on a line, as a shared ring.
func NewSharedWriter(mem []byte, l SharedLayout) *SharedWriter {
	return &SharedWriter{openShared(mem, l)}
}

// Append adds one record from the given source, which fits 16 bits, and
// reports whether there was room; without room nothing is written. Sequence,
// length and source bits of head are replaced. The payload is at most
// [SharedLayout.MaxPayload] bytes long. Records become visible in the order in which
// their room was reserved.
func (w *SharedWriter) Append(source int, head *[3]uint64, payload []byte) bool {
	if len(payload) > w.most {
		panic(longPayload)
	}
	if source < 0 || source > 0xffff {
		panic(badSource)
	}
	need := extent(len(payload))
	var at, skip uint64
	for {
		at = atomic.LoadUint64(w.reserved)
		skip = 0
		if rest := w.mask + 1 - at&w.mask; rest < need {
			skip = rest
		}
		if at+skip+need-atomic.LoadUint64(w.released) > w.mask+1 {
			return false
		}
		if atomic.CompareAndSwapUint64(w.reserved, at, at+skip+need) {
			break
		}
	}
	if skip != 0 {
		Publish(&w.lines[at&w.mask], &Line{uint64(Seq(at)), pad})
		at += skip
	}
	l := Line{
		head[0]&^0xffffffff | uint64(Seq(at)),
		head[1]&^0xffffffff | uint64(source)<<16 | uint64(len(payload)),
		head[2],
	}
	if len(payload) <= Inline {
		copy(inline(&l)[:], payload)
	} else {
		copy(w.bytes[(at&w.mask+1)*LineBytes:], payload)
	}
	Publish(&w.lines[at&w.mask], &l)
	return true
}
