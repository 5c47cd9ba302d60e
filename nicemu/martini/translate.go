package martini

import (
	"sync/atomic"

	"rhinet/nicemu/fabric"
)

// RVATLB and PATLB are caches of the segment table and the page table. The fast path reads the
// tables themselves. In place of a cache it keeps translations by connection (see route), and the
// extent in which a page was found last. A page that is not there is a miss: the table is searched,
// or the stepped model runs (see unusual.go).

// rva is a look-up in RVATLB: it returns the virtual address of size bytes at an offset of a
// segment, and the extent in which the segment was registered. key is the issuer's PGID with the
// target's PID (martini, section 5.2).
func (t node) rva(key uint64, seg Segment, offset, size uint64) (va uint64, hint int, why Reason) {
	if seg.SID() >= Segments || seg.Generation() == 0 {
		return 0, 0, NoSegment
	}
	s := t.segment(seg.SID())
	if why = s.known(seg); why != 0 {
		return 0, 0, why
	}
	owner, start, length := s.load(entKey), s.load(entStart), s.load(entSize)
	hint = int(s.load(entHint) % Extents)
	whole := s.load(entSeal) == fabric.Seal4(owner, start, length, s.load(entHint))
	if why = s.known(seg); why != 0 {
		return 0, 0, why // withdrawn while it was read
	}
	switch {
	case uint32(owner) != uint32(key):
		return 0, 0, WrongJob
	case owner != key:
		return 0, 0, NoSegment
	case start+length < start:
		return 0, 0, Fault
	case offset > length || size > length-offset:
		return 0, 0, BeyondSegment
	case !whole:
		return 0, 0, Overwritten
	}
	return start + offset, hint, 0
}

// known returns 0 if s is registered as seg, or else the reason why not.
func (s *entry) known(seg Segment) Reason {
	switch state := s.load(entState); {
	case state == uint64(seg.Generation())<<entGenShift|entValid:
		return 0
	case state>>entGenShift == 0:
		return NoSegment
	}
	return Stale
}

// covers reports whether extent i holds a virtual page of the owner of key.
func (t node) covers(i int, key, page uint64) bool {
	x := t.extent(i)
	if x.load(entState)&entValid == 0 || x.load(entKey) != key {
		return false
	}
	first := x.load(entStart)
	return page >= first && page-first < x.load(entSize) && x.sealed()
}

// patlb is a look-up in PATLB: it returns the extent that holds a page, or -1. It tries hint first,
// and searches for the page only if search is set.
func (t node) patlb(key, page uint64, hint int, search bool) int {
	if t.covers(hint, key, page) {
		return hint
	}
	if search {
		for i := range int(min(atomic.LoadUint64(&t.tables[regHigh]), Extents)) {
			if t.covers(i, key, page) {
				return i
			}
		}
	}
	return -1
}

// pinned checks, before any byte moves, that all pages of size bytes at va are pinned and that the
// NIC can access them. Pages that are not at hint are searched for only if search is set.
func (n *NIC) pinned(t node, rank int, key, va, size uint64, hint int, search bool) Reason {
	first, count := span(va, size)
	for page, end := first, first+count; page < end; {
		i := t.patlb(key, page, hint, search)
		if i < 0 {
			return NotPinned
		}
		x := t.extent(i)
		if x.load(entPhys)&physProcess != 0 && rank != n.rank && !n.Remote() {
			return NoAccess
		}
		next := x.load(entStart) + x.load(entSize)
		if next <= page {
			return NotPinned // changed while it was read
		}
		page, hint = next, i
	}
	return 0
}

// untilEnd returns how many bytes from va on, at most size, extent x holds.
func (x *entry) untilEnd(va, size uint64) uint64 {
	end := (x.load(entStart) + x.load(entSize)) * fabric.PageBytes
	if end <= va {
		return 0
	}
	return min(size, end-va)
}
