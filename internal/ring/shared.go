package ring

import "sync/atomic"

// MaxShared is the largest payload, in bytes, of one record of a shared ring of sufficient size: the MTU of
// 2048 bytes less the 8 bytes by which a message is framed (pm-messaging, section 1.5.4).
const MaxShared = 2048 - 8

// A SharedLayout is the shape of a shared ring: the receive pointer with the word that names the source of
// the packet being received, the release pointer, then Lines lines (a power of two, at least 64).
type SharedLayout struct{ Lines int }

// MaxPayload returns the longest payload, in bytes, of one record. A record takes at most half the lines,
// so that an empty ring has room for it wherever it starts, including the lines that are skipped at the
// end.
func (l SharedLayout) MaxPayload() int { return min(MaxShared, (l.Lines/2-1)*LineBytes) }

// Size returns the bytes of memory that the ring takes, a multiple of a line.
func (l SharedLayout) Size() int { return 2*guardBytes + l.Lines*LineBytes }

// pad is the length of a record that only fills the lines up to the end of the ring, because the next
// record did not fit there.
const pad = 0xffff

// sharedMem is what both sides see of a shared ring.
type sharedMem struct {
	front    *Line   // receive pointer and holder, written by the writer that holds the ring
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
		front:    &all[0],
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

// Indexes in the front line.
const (
	frontReceive = 0 // receive pointer: end of what has arrived, in lines
	frontHolder  = 1 // source + 1 of the packet being received, or 0
)

// A SharedWriter appends to a shared ring. Any number of writers, in any number of processes, may append at
// once; many goroutines may use the same writer.
type SharedWriter struct{ sharedMem }

// NewSharedWriter views mem, which starts on a line, as a shared ring.
func NewSharedWriter(mem []byte, l SharedLayout) *SharedWriter {
	return &SharedWriter{openShared(mem, l)}
}

// Append adds one record from the given source, which fits 16 bits, and reports whether there was room;
// without room nothing is written. Sequence, length and source bits of head are replaced. The payload is at
// most [SharedLayout.MaxPayload] bytes long.
//
// A ring receives one packet at a time, like the NIC that it stands for (martini, sections 7.2, 11.3;
// pm-messaging, section 1.7): a test for room, the payload, the line that tells the host, and only then the
// receive pointer, so that the pointer never covers lines that have not been written. A writer that finds
// another packet being received waits for a moment and then reports that there is no room. A writer that
// dies in between leaves the ring as it was before its packet, but held.
func (w *SharedWriter) Append(source int, head *[3]uint64, payload []byte) bool {
	ok, err := w.Put(source, head, payload, new(Tally))
	return ok && err == nil
}

// Put is Append that counts in t what has been written, and reports impossible pointers.
func (w *SharedWriter) Put(source int, head *[3]uint64, payload []byte, t *Tally) (bool, error) {
	s, ok, err := w.Begin(source, len(payload))
	if ok {
		w.End(s, head, payload, t)
	}
	return ok, err
}

// A Space is room for one record, for which a SharedWriter holds its ring.
type Space struct {
	at, skip, need uint64
	source         int
}

// Begin is the first part of Put, for a record with n bytes of payload: if there is room, it holds the ring
// until End or Cancel, which must follow soon.
func (w *SharedWriter) Begin(source, n int) (s Space, ok bool, err error) {
	if n > w.most {
		panic(longPayload)
	}
	if source < 0 || source > 0xffff {
		panic(badSource)
	}
	if !atomic.CompareAndSwapUint64(&w.front[frontHolder], 0, uint64(source)+1) && !w.hold(source) {
		return s, false, nil
	}
	need := extent(n)
	at, skip := w.front[frontReceive], uint64(0)
	if rest := w.mask + 1 - at&w.mask; rest < need {
		skip = rest
	}
	if used := at - atomic.LoadUint64(w.released); used+skip+need > w.mask+1 {
		storeCounters(w.front, at, 0)
		if used > w.mask+1 {
			return s, false, ErrPointers
		}
		return s, false, nil
	}
	return Space{at, skip, need, source}, true, nil
}

// Cancel gives up the ring, which is as it was before Begin.
func (w *SharedWriter) Cancel(s Space) { storeCounters(w.front, s.at, 0) }

// End writes the record into the space s and gives up the ring.
func (w *SharedWriter) End(s Space, head *[3]uint64, payload []byte, t *Tally) {
	at, source := s.at, uint64(s.source)
	if s.skip != 0 {
		l := Line{uint64(Seq(at)), source<<16 | pad}
		t.add(s.skip, (*[3]uint64)(l[:3]))
		Publish(&w.lines[at&w.mask], &l)
		at += s.skip
	}
	l := Line{
		head[0]&^0xffffffff | uint64(Seq(at)),
		head[1]&^0xffffffff | source<<16 | uint64(len(payload)),
		head[2],
	}
	if len(payload) <= Inline {
		copy(inline(&l)[:], payload)
	} else {
		copy(w.bytes[(at&w.mask+1)*LineBytes:], payload)
	}
	t.add(s.need, (*[3]uint64)(l[:3]))
	Publish(&w.lines[at&w.mask], &l)
	storeCounters(w.front, at+s.need, 0) // the pointer, then the holder
}

// holdTries is how often a writer checks whether another writer's packet has ended: some microseconds, the
// time that the longest packet takes.
const holdTries = 1 << 12

// hold begins to receive a packet of the given source, after waiting a short time for the end of another
// one.
func (w *SharedWriter) hold(source int) bool {
	for range holdTries {
		if atomic.LoadUint64(&w.front[frontHolder]) == 0 && atomic.CompareAndSwapUint64(&w.front[frontHolder], 0, uint64(source)+1) {
			return true
		}
	}
	return false
}
