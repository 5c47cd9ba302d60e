package layout

import (
	"cmp"
	"slices"
)

// mostPieces limits the pieces that Overlaps checks one by one.
const mostPieces = 1 << 21

// Overlaps reports whether some byte belongs to two elements: such data cannot be received (MPI 4.1,
// section 5.1). It does not find out for a layout of more than two million pieces whose parts are
// interleaved.
func (t *Type) Overlaps() bool {
	if t.size > t.TrueExtent() {
		return true
	}
	if t.root.apart() {
		return false
	}
	type piece struct{ at, n int }
	var all []piece
	for at, n := range t.Segments(0, t.size) {
		if len(all) == mostPieces {
			return false
		}
		all = append(all, piece{at, n})
	}
	slices.SortFunc(all, func(a, b piece) int { return cmp.Compare(a.at, b.at) })
	for i := 1; i < len(all); i++ {
		if all[i-1].at+all[i-1].n > all[i].at {
			return true
		}
	}
	return false
}

// apart reports whether it is obvious that no two pieces overlap.
func (n *node) apart() bool {
	switch n.kind {
	case run:
		return true
	case loop:
		lo, hi := n.child.span()
		return int(magnitude(n.stride)) >= hi-lo && n.child.apart()
	}
	end := 0
	for i, at := range n.ats {
		lo, hi := 0, n.ends[i]
		if n.kids != nil {
			if lo, hi = n.kids[i].span(); !n.kids[i].apart() {
				return false
			}
		} else if i > 0 {
			hi -= n.ends[i-1]
		}
		if i > 0 && at+lo < end {
			return false
		}
		end = at + hi
	}
	return true
}

// span returns the displacements of the first byte, and of the byte behind the last.
func (n *node) span() (lo, hi int) {
	switch n.kind {
	case run:
		hi = n.size
	case loop:
		far := (n.count - 1) * n.stride
		lo, hi = n.child.span()
		lo, hi = lo+min(0, far), hi+max(0, far)
	case list:
		for i, at := range n.ats {
			a, b := 0, n.ends[i]
			if n.kids != nil {
				a, b = n.kids[i].span()
			} else if i > 0 {
				b -= n.ends[i-1]
			}
			if i == 0 {
				lo, hi = at+a, at+b
			}
			lo, hi = min(lo, at+a), max(hi, at+b)
		}
	}
	return lo + n.at, hi + n.at
}
