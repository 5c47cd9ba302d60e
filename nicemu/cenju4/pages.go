package cenju4

import (
	"fmt"
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// An Address is a logical address: 38 bits in one of 4 segments. Our choice: the upper 24 bits,
// which no address needs, identify the mapping, so that an address that outlives its mapping does
// not name the next one.
type Address uint64

const (
	offsetBits  = 38
	generations = 24
	genShift    = 40
	offsetMask  = 1<<offsetBits - 1
)

// The segments of a task: our choice.
const (
	Static  = 0 // mapped by the OS for all jobs, by area
	Mapped  = 1 // mapped by the task
	NoneYet = 2 // empty
	Lent    = 3 // lent by the task for the duration of one parcel, at the address that the task chooses
)

// MakeAddress returns the address of an offset in a segment.
func MakeAddress(segment int, offset uint64) Address {
	return Address(uint64(segment)<<offsetBits | offset&offsetMask)
}

// Segment returns the segment.
func (a Address) Segment() int { return int(a >> offsetBits & 3) }

// Offset returns the offset in the segment.
func (a Address) Offset() uint64 { return uint64(a) & offsetMask }

// Generation returns the generation of the mapping.
func (a Address) Generation() uint32 { return uint32(a >> genShift) }

// String returns segment, offset and generation.
func (a Address) String() string {
	return fmt.Sprintf("%d:%#x.%d", a.Segment(), a.Offset(), a.Generation())
}

// The areas of the static segment: memory that is mapped from before a process runs until the job
// ends. Our choice: its pages are 4 GiB, one for each area; page 0 is not mapped, so that address 0
// names no memory.
const (
	areaRings     = 1 + iota // packet rings with the counters that their readers export
	areaBootstrap            // for the first packets of a pair
	areaControl              // control words
	areaFlags                // the job's shared flag arrays
	areaBuffers              // the buffer table
	endAreas
)

const staticShift = 32

// Addresses of the areas.
const (
	RingsAt     = Address(areaRings << staticShift)
	BootstrapAt = Address(areaBootstrap << staticShift)
	ControlAt   = Address(areaControl << staticShift)
	FlagsAt     = Address(areaFlags << staticShift)
	BuffersAt   = Address(areaBuffers << staticShift)
)

// A Right says what other nodes may do with a page.
type Right uint64

// The rights, as bits of a page-table entry.
const (
	MayRead Right = 1 << (58 + iota)
	MayWrite
	MayUpdate
	rights = MayRead | MayWrite | MayUpdate
)

// Words of a page-table entry. Its owner writes the first word while the second is 0.
const (
	ptePlace = 0 // 0-47 physical address: a virtual address of the process, or an offset in the job's memory; 48-63 number of the mapping
	pteState = 1 // 0-31 bytes of the page that are mapped, 32-55 generation, 56 valid, 57 memory of the job, 58-60 rights
	pteWords = 2

	pteValid    = 1 << 56
	pteInJob    = 1 << 57
	pteGen      = 32
	pteGenMask  = 1<<generations - 1
	placeBits   = 48
	placeMask   = 1<<placeBits - 1
	pteSizeMask = 1<<32 - 1
)

// A pte is the value of a page-table entry.
type pte struct{ place, state uint64 }

func (e pte) at() uint64    { return e.place & placeMask }
func (e pte) number() int   { return int(e.place >> placeBits) }
func (e pte) bytes() uint64 { return e.state & pteSizeMask }
func (e pte) gen() uint32   { return uint32(e.state >> pteGen & pteGenMask) }
func (e pte) inJob() bool   { return e.state&pteInJob != 0 }
func (e pte) mapped() bool  { return e.state&pteValid != 0 }
func (e pte) same(other pte) bool {
	return e.number() == other.number() && e.state&^pteSizeMask == other.state&^pteSizeMask
}
func (e pte) allows(r Right) bool  { return e.state&uint64(r) == uint64(r) }
func (e pte) follows(one pte) bool { return e.at() == one.at()+PageBytes }

// A node is the memory of one NIC as another NIC sees it.
type node struct{ tables, public []uint64 }

func nodeOf(f *fabric.Fabric, rank int) node {
	return node{f.Words(rank, fabric.Device), f.Words(rank, fabric.Public)}
}

// up reports whether the OS has started the NIC.
func (t node) up() bool { return atomic.LoadUint64(&t.tables[regPower]) == fabric.On }

// A segment is an entry of the segment table (cenju4, section 8).
type segment struct {
	table       uint64 // in words
	first, last uint64 // page numbers
	shift       uint64 // log2 of the page size
}

const segmentWords = 4

func (t node) segment(i int) (s segment) {
	w := t.tables[regSegments+i*segmentWords:]
	s = segment{atomic.LoadUint64(&w[0]), atomic.LoadUint64(&w[1]), atomic.LoadUint64(&w[2]), atomic.LoadUint64(&w[3])}
	if most := uint64(len(t.tables)); s.first <= s.last && (s.table > most || s.last-s.first >= (most-s.table)/pteWords || s.shift != staticShift && s.shift != pageShift) {
		return segment{first: 1} // not written by the OS
	}
	return s
}

const pageShift = 12

func (t node) setSegment(i int, s segment) {
	for k, v := range [segmentWords]uint64{s.table, s.first, s.last, s.shift} {
		atomic.StoreUint64(&t.tables[regSegments+i*segmentWords+k], v)
	}
}

// entry returns the two words of a page-table entry.
func (t node) entry(s *segment, page uint64) []uint64 {
	return t.tables[s.table+(page-s.first)*pteWords:][:pteWords:pteWords]
}

func loadPTE(w []uint64) pte {
	state := atomic.LoadUint64(&w[pteState])
	return pte{atomic.LoadUint64(&w[ptePlace]), state}
}

func storePTE(w []uint64, e pte) {
	atomic.StoreUint64(&w[ptePlace], e.place)
	atomic.StoreUint64(&w[pteState], e.state)
}

// known returns 0 if an entry belongs to the mapping with this generation, or else why not.
func (e pte) known(generation uint32) Reason {
	switch {
	case e.mapped() && e.gen() == generation:
		return 0
	case e.state == 0:
		return NoPage
	}
	return Stale
}

// A span is the part of a node's mapped memory that one parcel accesses.
type span struct {
	t     node
	seg   segment
	at    uint64 // offset in the segment
	bytes uint64
	first pte
}

// find looks up size bytes from a on: segment table, then page table, page by page.
func (t node) find(a Address, size uint64, need Right) (s span, why Reason) {
	s = span{t: t, seg: t.segment(a.Segment()), at: a.Offset(), bytes: size}
	if size == 0 {
		return s, 0
	}
	page, end := s.at>>s.seg.shift, s.at+size-1
	if a.Segment() == Lent || page < s.seg.first || end>>s.seg.shift > s.seg.last || end > offsetMask {
		return s, NoSegment
	}
	s.first = loadPTE(t.entry(&s.seg, page))
	if why = s.first.known(a.Generation()); why != 0 {
		return s, why
	}
	if !s.first.allows(need) {
		return s, NoRight
	}
	for last := end >> s.seg.shift; ; page++ {
		e := loadPTE(t.entry(&s.seg, page))
		if !e.same(s.first) {
			return s, Beyond
		}
		if page == last {
			if end&(1<<s.seg.shift-1) >= e.bytes() {
				return s, Beyond
			}
			return s, 0
		}
		if e.bytes() != 1<<s.seg.shift {
			return s, Beyond
		}
	}
}

// run returns the physical address of byte i, which is in s, and the number of physically
// consecutive bytes from there on, at most to the end of s.
func (s *span) run(i uint64) (at, n uint64) {
	size := uint64(1) << s.seg.shift
	page, in := (s.at+i)>>s.seg.shift, (s.at+i)&(size-1)
	e := loadPTE(s.t.entry(&s.seg, page))
	at, n = e.at()+in, size-in
	for n < s.bytes-i {
		page++
		next := loadPTE(s.t.entry(&s.seg, page))
		if !next.follows(e) {
			break
		}
		e, n = next, n+size
	}
	return at, min(n, s.bytes-i)
}

// behind returns the physical address of the memory that physically follows the page before byte i,
// which is the first of a page, and how many bytes of a word are there. Our choice: an emulation
// must not show memory outside the mapping, so only a page of the same mapping can follow;
// otherwise there is nothing, which reads as zero.
func (s *span) behind(i uint64) (at, n uint64) {
	page := (s.at + i) >> s.seg.shift
	before := loadPTE(s.t.entry(&s.seg, page-1))
	look := func(page, step, end uint64) {
		for ; page != end && n == 0; page += step {
			e := loadPTE(s.t.entry(&s.seg, page))
			if !e.same(s.first) {
				return
			}
			if e.follows(before) {
				at, n = e.at(), min(e.bytes(), oddWord)
			}
		}
	}
	look(page, 1, s.seg.last+1)
	look(page-1, ^uint64(0), s.seg.first-1)
	return at, n
}

// intact reports whether the mapping still exists.
func (s *span) intact() bool {
	return s.bytes == 0 || loadPTE(s.t.entry(&s.seg, s.at>>s.seg.shift)).same(s.first)
}

// holds returns the number of transfers in progress in a mapping.
func (t node) holds(number int) *uint64 {
	return &t.public[pubHolds+number%maxMappings*(64/8)]
}

// hold keeps the memory from being released, if it is still mapped. It counts the transfer before
// it reads the entry; Unmap invalidates all entries before it reads the count. So one of the two
// sees the other.
func (s *span) hold() Reason {
	if s.bytes == 0 || s.seg.shift == staticShift {
		return 0
	}
	atomic.AddUint64(s.t.holds(s.first.number()), 1)
	if s.intact() {
		return 0
	}
	s.drop()
	return Stale
}

func (s *span) drop() {
	if s.bytes > 0 && s.seg.shift != staticShift {
		atomic.AddUint64(s.t.holds(s.first.number()), ^uint64(0))
	}
}
