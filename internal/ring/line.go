package ring

import (
	"errors"
	"sync/atomic"
)

// LineBytes is the size of a line: one cache line.
const LineBytes = 64

// HeadBytes is the size of a packet's header words.
const HeadBytes = 24

// Inline is the largest payload, in bytes, that lies in the header's line.
const Inline = LineBytes - HeadBytes

// Short is the largest payload, in bytes, that lies in the slot of a packet ring, so that neither side accounts
// for its room. A reader that waits knows where it is before the packet has come: 64 bytes, of which the last 24
// are behind the line, take nearly as long as 8, and 1.3 times as long in the data area.
const Short = SlotBytes - HeadBytes

// SlotBytes is the size of a slot: the line of its packet, and the line behind it.
const (
	SlotBytes = 1 << slotShift
	slotShift = 7
	slotLines = SlotBytes / LineBytes
)

// ErrCorrupt reports a line that no correct writer can have written.
var ErrCorrupt = errors.New("ring: a line carries an impossible length or source")

// A Line is one cache line.
type Line [LineBytes / 8]uint64

// Seq returns the sequence of line number n, counted from 0 without wrap: the
// low 32 bits of n+1, but never 0, the content of untouched memory. It differs
// from the sequences of the same line in earlier laps.
func Seq(n uint64) uint32 {
	s := uint32(n) + 1
	if s == 0 {
		s = 1
	}
	return s
}

// Lead is Acquire of the whole first word, whose high half belongs to the writer.
func Lead(l *Line) uint64 { return atomic.LoadUint64(&l[0]) }

// Acquire returns the sequence of l. All that the writer stored before it published this sequence is
// visible afterwards.
func Acquire(l *Line) uint32 { return uint32(atomic.LoadUint64(&l[0])) }

// A Packet is one arrival. Data is a view of ring memory, valid until the packet is consumed; a faulty
// writer can change it in the meantime. The header words are a copy.
type Packet struct {
	Head [3]uint64 // header words, with sequence and length as received
	Data []byte
	Peer int    // packet ring: as given to [Set.Add]; shared ring: the source
	Ring uint32 // packet ring: as given to [Set.Add]; shared ring: [Everybody]
}

// Everybody is the Ring of a packet that arrived in the shared ring.
const Everybody = ^uint32(0)

// In a spread ring, nothing follows a payload of at least spreadBytes on its page, and a shorter one takes
// spreadShort bytes. A processor that reads lines in order prefetches the lines behind them, up to the end
// of the page, and takes them from the writer, which has just prefetched them for the next payload: 1 KiB
// takes 0.58 us one way if payloads follow each other closely, and 0.43 us if not; a Sendrecv of 64 bytes
// 0.66 and 0.55 us. A ring with spreadShort bytes for each line has room for as many short payloads as it has
// lines. Data areas of fewer than spreadPages pages are too small for that. Where ranks share processors,
// rings are not spread: there nobody reads while another rank writes, and pages cost more than lines.
const (
	spreadBytes = 512
	spreadShort = 1024
	spreadPage  = 4096
	spreadPages = 8
)

// Slots of consecutive packets of a packet ring lie scatter slots apart, on different pages if the ring has
// several. A processor that reads lines in order would also prefetch those behind them and take them from
// the writer. The writer prefetches the next line and the one prefetchAhead further on, so that its stores
// do not wait for both in turn. A reader that has found fetchRow packets in a row waiting prefetches the
// line fetchAhead further on, because the writer is done with it.
const (
	scatter       = 33
	prefetchAhead = 2
	fetchRow      = 16
	fetchAhead    = 3
)

// Line returns the index of the line of packet number slot in a ring of this layout, for writers that do
// not use [Ring.Put].
func (l Layout) Line(slot uint64) uint64 { return slot * scatter & uint64(l.Slots-1) * slotLines }

// Place returns the data position of a payload of n bytes in a data area of size bytes whose next free
// position is pos; both positions are counted from 0 without wrap. Payloads longer than Short start on a
// line and never wrap around the end of the area; if the ring is spread, they end with their page or a part of it.
// Writer and reader compute the position by the same rule (that of the engine's IR), so it is never sent.
func Place(pos, size uint64, n int, spread bool) (at, next uint64) {
	if n <= Short {
		return pos, pos
	}
	need := (uint64(n) + LineBytes - 1) &^ (LineBytes - 1)
	if at = pos; at&(size-1)+need > size {
		at += size - at&(size-1)
	}
	if next = at + need; spread && size >= spreadPages*spreadPage {
		unit := uint64(spreadPage)
		if n < spreadBytes {
			unit = spreadShort
		}
		next = (next + unit - 1) &^ (unit - 1)
	}
	return at, next
}

// Compose fills l, which nobody else sees yet, with the line of packet number slot as [Ring.Put] writes it,
// including the first [Inline] bytes of the payload if it has at most [Short]. It returns the sum of the header words.
func Compose(l *Line, slot uint64, head *[3]uint64, payload []byte) (sum uint64) {
	l[0], l[1], l[2] = head[0]&^0xffffffff|uint64(Seq(slot)), head[1]&^0xffffffff|uint64(len(payload)), head[2]
	if len(payload) <= Short {
		copy(inline(l)[:], payload)
	}
	return l[0] + l[1] + l[2]
}
