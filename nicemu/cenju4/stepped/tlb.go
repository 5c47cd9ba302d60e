package stepped

import "rhinet/nicemu/cenju4"

// A tlb holds the most recent translations. The OS invalidates it when it changes a page table.
type tlb struct {
	hw      *cenju4.Hardware
	entries []translation
	maps    uint64
	misses  int
}

type translation struct {
	segment int
	page    uint64
	entry   cenju4.Page
}

// look returns the page of an address and the offset in it, if the TLB has it.
func (t *tlb) look(a cenju4.Address) (page cenju4.Page, offset uint64, ok bool) {
	t.invalidate()
	number, offset := t.split(a)
	for _, e := range t.entries {
		if e.segment == a.Segment() && e.page == number {
			return e.entry, offset, true
		}
	}
	return page, offset, false
}

// invalidate forgets all pages if a page table has changed.
func (t *tlb) invalidate() {
	if t.maps != t.hw.Maps() {
		t.entries, t.maps = nil, t.hw.Maps()
	}
}

// fill reads the page of an address from the tables.
func (t *tlb) fill(a cenju4.Address) {
	t.invalidate()
	t.misses++
	if len(t.entries) == cenju4.TLBEntries {
		t.entries = t.entries[1:]
	}
	number, _ := t.split(a)
	t.entries = append(t.entries, translation{a.Segment(), number, t.hw.Page(a.Segment(), number)})
}

func (t *tlb) split(a cenju4.Address) (page, offset uint64) {
	shift := t.hw.Segment(a.Segment()).Shift
	return a.Offset() >> shift, a.Offset() & (1<<shift - 1)
}

// limits looks up all pages of size bytes at an address in the tables, before the first byte moves.
func limits(hw *cenju4.Hardware, a cenju4.Address, size uint64, need cenju4.Right) cenju4.Reason {
	if size == 0 {
		return 0
	}
	s := hw.Segment(a.Segment())
	first, last := a.Offset()>>s.Shift, (a.Offset()+size-1)>>s.Shift
	if s.First > s.Last || first < s.First || last > s.Last {
		return cenju4.NoSegment
	}
	var mapping int
	for page := first; page <= last; page++ {
		e := hw.Page(a.Segment(), page)
		from, to := page<<s.Shift, (page+1)<<s.Shift
		used := min(to, a.Offset()+size) - from
		switch good := e.Mapped && e.Generation == a.Generation(); {
		case page == first && e.Never:
			return cenju4.NoPage
		case page == first && !good:
			return cenju4.Stale
		case page == first && e.Rights&need != need:
			return cenju4.NoRight
		case !good || page > first && e.Mapping != mapping || used > e.Bytes:
			return cenju4.Beyond
		}
		mapping = e.Mapping
	}
	return 0
}
