package mpi

import (
	"cmp"
	"fmt"
	"slices"

	"rhinet/internal/layout"
)

// The parts of one call, which are slices and views of any memory: no byte of a part that
// is received into may belong to another part (MPI 4.1, sections 2.3, 6.8 and 8.6.2).

// A partSpan is the memory from the first byte of a part to its last one. It is the whole
// part if l is nil; otherwise l is the layout of its items.
type partSpan struct {
	addressSpan
	l     *layout.Type
	part  int
	fills bool // it is received into
}

// A placedPart is a partSpan with the data of its layout, if it has one.
type placedPart struct {
	partSpan
	in *body
}

// mostPieces limits the pieces of interleaved layouts that are compared one by one: in any
// job to what takes less than a millisecond, in a checked one to what fits into memory.
const (
	mostPieces        = 1 << 13
	mostPiecesChecked = 1 << 21
)

// fewParts is how many parts are compared without an allocation.
const fewParts = 16

// mingled says which parts of a call share memory though one of them is received into, or
// "". In place, part i is sent from where it is received, if inPlace allows that. skip
// leaves out parts that are not moved.
func (c *Comm) mingled(s site, send, recv []Part, inPlace bool, skip func(i int, fills bool) bool) string {
	var few [fewParts]placedPart
	all := few[:0]
	add := func(i int, p Part, fills bool) {
		if k, ok := c.placed(s, p); ok && !skip(i, fills) {
			k.part, k.fills = i, fills
			all = append(all, k)
		}
	}
	for i, p := range recv {
		add(i, p, true)
	}
	for i, p := range send {
		if !inPlace || i >= len(recv) || !c.samePart(p, recv[i]) {
			add(i, p, false)
		}
	}
	first, second := c.meeting(all)
	return mingledText(first, second, inPlace)
}

// mingledIn is mingled for the parts of two buffers with elements of size bytes, whose
// counts and displacements are right.
func mingledIn(size int, send []byte, scounts, sdispls []int, recv []byte, rcounts, rdispls []int, inPlace bool) string {
	if !overlap(send, recv) {
		return ""
	}
	first, second := meetingOf(partsOf{len(scounts), partAt(size, send, scounts, sdispls)}, partsOf{len(rcounts), partAt(size, recv, rcounts, rdispls)}, noneSkipped)
	return mingledText(first, second, inPlace)
}

// partsOf are n parts of a buffer.
type partsOf struct {
	n  int
	at func(i int) []byte
}

// partAt returns where the parts of b are.
func partAt(size int, b []byte, counts, displs []int) func(i int) []byte {
	return func(i int) []byte {
		if counts[i] == 0 {
			return nil // it has no place
		}
		return b[offset(counts, displs, i)*size:][:counts[i]*size]
	}
}

// meetingOf returns two parts of a call that share memory though one of them is received
// into, or nil. skip leaves out parts that are not moved.
func meetingOf(send, recv partsOf, skip func(i int, fills bool) bool) (a, b *placedPart) {
	var all []placedPart
	add := func(parts partsOf, fills bool) {
		for i := range parts.n {
			if skip(i, fills) {
				continue
			}
			if mem := parts.at(i); len(mem) > 0 {
				k := placedPart{partSpan: partSpan{part: i, fills: fills}}
				k.from = address(mem)
				k.to = k.from + uintptr(len(mem))
				all = append(all, k)
			}
		}
	}
	add(recv, true)
	add(send, false)
	return firstMeeting(all)
}

// mingledText words what mingled has found: "" for nil.
func mingledText(a, b *placedPart, inPlace bool) string {
	if a == nil {
		return ""
	}
	if a.fills && b.fills {
		return fmt.Sprintf("recv: parts %d and %d overlap; an element is received from one rank", min(a.part, b.part), max(a.part, b.part))
	}
	if a.fills {
		a, b = b, a
	}
	do := "they must be apart"
	if inPlace {
		do = "they must be apart, or pass recv as send"
	}
	return fmt.Sprintf("part %d of send and part %d of recv overlap; %s", a.part, b.part, do)
}

// placed returns where p lies. It does not if it is empty or invalid; the call reports the
// latter.
func (c *Comm) placed(s site, p Part) (k placedPart, ok bool) {
	mem := p.b
	if p.elem(c).items {
		_, dense, in, err := c.spread(s, p.b, false)
		if err != nil {
			return k, false
		}
		if mem = dense; in != nil {
			mem, k.in, k.l = in.span(), in, in.v.l
		}
	}
	k.from = address(mem)
	k.to = k.from + uintptr(len(mem))
	return k, len(mem) > 0
}

// samePart reports whether two valid parts are the same elements, or the same items of
// one layout over one slice.
func (c *Comm) samePart(a, b Part) bool {
	switch {
	case len(a.b) != len(b.b):
		return false
	case len(a.b) == 0 || sameStart(a.b, b.b):
		return true
	case !a.elem(c).items || !b.elem(c).items:
		return false
	}
	return slices.EqualFunc(elements[Item](a.b), elements[Item](b.b), func(x, y Item) bool {
		return x.i == y.i && x.v.l == y.v.l && sameStart(x.v.mem, y.v.mem)
	})
}

// meeting returns two parts that share memory but must not, or nil. It sorts the parts.
func (c *Comm) meeting(all []placedPart) (a, b *placedPart) {
	if a, b = firstMeeting(all); a == nil || !slices.ContainsFunc(all, func(p placedPart) bool { return p.in != nil }) {
		return a, b
	}
	same := func(k partSpan, p placedPart) bool { return k == p.partSpan }
	if last := c.apart.Load(); last != nil && slices.EqualFunc(*last, all, same) {
		return nil, nil
	}
	most := mostPieces
	if c.w.Check {
		most = mostPiecesChecked
	}
	pieces, few := partPieces(all, most)
	if !few {
		return nil, nil
	}
	if a, b = firstMeeting(pieces); a == nil {
		known := make([]partSpan, len(all))
		for i, p := range all {
			known[i] = p.partSpan
		}
		c.apart.Store(&known)
	}
	return a, b
}

// firstMeeting returns two spans that overlap, one of which is received into, or nil.
func firstMeeting(all []placedPart) (a, b *placedPart) {
	order := func(a, b placedPart) int { return cmp.Compare(a.from, b.from) }
	if !slices.IsSortedFunc(all, order) {
		slices.SortFunc(all, order)
	}
	var far, filled *placedPart // those before that reach farthest: any, and received into
	for i := range all {
		p := &all[i]
		switch {
		case p.fills && far != nil && far.to > p.from:
			return far, p
		case filled != nil && filled.to > p.from:
			return filled, p
		}
		if far == nil || p.to > far.to {
			far = p
		}
		if p.fills && (filled == nil || p.to > filled.to) {
			filled = p
		}
	}
	return nil, nil
}

// partPieces returns the pieces of all parts, unless there are more than most.
func partPieces(all []placedPart, most int) (pieces []placedPart, few bool) {
	for _, p := range all {
		if p.in == nil {
			pieces = append(pieces, p)
			continue
		}
		origin := address(p.in.v.mem) + uintptr(p.in.origin)
		for at, n := range p.in.l.Segments(0, p.in.Size()) {
			piece := placedPart{partSpan: partSpan{part: p.part, fills: p.fills}}
			piece.from = origin + uintptr(at)
			piece.to = piece.from + uintptr(n)
			if pieces = append(pieces, piece); len(pieces) > most {
				return nil, false
			}
		}
	}
	return pieces, true
}
