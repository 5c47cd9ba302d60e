package mpi

import (
	"cmp"
	"iter"
	"slices"
)

// accesses are the accesses to the part of one rank, in the order of their first bytes.
type accesses struct {
	list    []access
	array   []access // that list is the end of, behind room unused accesses; nil: there is no room
	room    int
	longest uint64
	ends    []uint64 // where the accesses of each block of the list end, as far as that is known
}

// accessBlock is the length of a block of a list. Blocks that end before a location are passed
// over: a single long access makes longest say little.
const accessBlock = 256

// conflicting returns an access that must not be in one epoch with a, or nil.
func (l *accesses) conflicting(a *access) *access {
	for o := range l.overlapping(a) {
		if o.conflicts(a, true) {
			return o
		}
	}
	return nil
}

// covers reports whether there is an access like a that includes its whole location.
func (l *accesses) covers(a *access) bool {
	for o := range l.overlapping(a) {
		if o.from <= a.from && a.to <= o.to && o.like(a) {
			return true
		}
	}
	return false
}

// overlapping iterates over the accesses that share bytes with a.
func (l *accesses) overlapping(a *access) iter.Seq[*access] {
	return func(yield func(*access) bool) {
		for i := l.after(a.to-1) - 1; i >= 0; i-- {
			o := &l.list[i]
			if o.from+l.longest <= a.from {
				return // those before it do not reach a, either
			}
			if i%accessBlock == accessBlock-1 && l.endOf(i/accessBlock) <= a.from {
				i -= accessBlock - 1
				continue
			}
			if o.to > a.from && !yield(o) {
				return
			}
		}
	}
}

// endOf returns where the accesses of a full block end.
func (l *accesses) endOf(block int) uint64 {
	for b := len(l.ends); b <= block; b++ {
		end := uint64(0)
		for i := range accessBlock {
			end = max(end, l.list[b*accessBlock+i].to)
		}
		l.ends = append(l.ends, end)
	}
	return l.ends[block]
}

// changed forgets what is known of the blocks from that of one access on.
func (l *accesses) changed(i int) { l.ends = l.ends[:min(len(l.ends), i/accessBlock)] }

// after returns the index of the first access that begins behind an offset.
func (l *accesses) after(at uint64) int {
	if n := len(l.list); n == 0 || l.list[n-1].from <= at { // most often
		return n
	}
	i, _ := slices.BinarySearchFunc(l.list, at+1, func(a access, at uint64) int {
		if a.from < at {
			return -1
		}
		return 1
	})
	return i
}

// add records a, or extends the access before it if that is like a and ends where a
// begins.
func (l *accesses) add(a access) {
	at := l.after(a.from)
	if at > 0 {
		if o := &l.list[at-1]; o.to == a.from && o.like(&a) && !a.summed {
			o.to, o.summed = a.to, false
			l.longest = max(l.longest, o.to-o.from)
			l.changed(at - 1)
			return
		}
	}
	l.longest = max(l.longest, a.to-a.from)
	l.insert(at, a)
	l.changed(at)
}

// insert puts a at an index of the list. It moves the shorter side of the list, so that accesses in descending
// order take no longer than in ascending order.
func (l *accesses) insert(at int, a access) {
	if n := len(l.list); at >= (n+1)/2 {
		if n == cap(l.list) {
			l.array, l.room = nil, 0 // the list moves to another array
		}
		l.list = slices.Insert(l.list, at, a)
		return
	}
	if l.room == 0 {
		l.room = len(l.list) + 8
		l.array = append(make([]access, l.room, 2*l.room), l.list...)
	}
	l.room--
	l.list = l.array[l.room : l.room+1+len(l.list)]
	copy(l.list[:at], l.list[1:])
	l.list[at] = a
}

// addAll records the accesses of one call. To insert each where it belongs would take time
// that grows with the square of their number.
func (l *accesses) addAll(all []access) {
	slices.SortStableFunc(all, func(a, b access) int { return cmp.Compare(a.from, b.from) })
	if len(all) > 1 && l.after(all[0].from) < len(l.list) {
		merged := accesses{list: make([]access, 0, len(l.list)+len(all))}
		for _, o := range l.list {
			for len(all) > 0 && all[0].from < o.from {
				merged.add(all[0])
				all = all[1:]
			}
			merged.add(o)
		}
		*l = merged
	}
	for _, a := range all {
		l.add(a)
	}
}
