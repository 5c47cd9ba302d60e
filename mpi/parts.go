package mpi

import (
	"fmt"
	"slices"
)

// A direction words the mistakes in calls that have one buffer with a part for every
// rank, and one with a single part.
type direction struct {
	gathers     bool
	whole, part string // names of the buffers
	lengths     string // with the lengths in elements, and the number of ranks
}

var (
	gathering  = &direction{true, "recv", "send", "recv has room for %d elements, %d ranks send %d each; make it %d"}
	scattering = &direction{false, "send", "recv", "send has %d elements, %d ranks receive %d each; make it %d"}
)

const overlapText = "send and recv overlap; they must be apart, or one and the same"

// blocks returns the memory of whole, which has a part of equal length for every rank,
// and of part, the caller's, which is whole itself if the call is in place. If text is
// not empty, it says what is wrong with them.
func blocks[T any](c *Comm, whole, part []T, d *direction) (w, p []byte, class Class, text string) {
	w, p = view(whole), view(part)
	switch {
	case sameStart(w, p) && len(whole)%c.size == 0:
		return w, w, 0, ""
	case len(part) == 0 && !d.gathers && len(whole) > 0:
		return nil, nil, ErrCount, fmt.Sprintf("recv has no elements, and send %d for %d ranks; make recv as long as what one rank gets", len(whole), c.size)
	case len(whole) != c.size*len(part):
		return nil, nil, ErrCount, fmt.Sprintf(d.lengths, len(whole), c.size, len(part), c.size*len(part))
	case overlap(w, p) && !sameStart(w[c.rank*len(p):], p):
		return nil, nil, ErrBuffer, overlapText
	}
	return w, p, 0, ""
}

// shares is blocks for parts with counts and displs.
func shares[T any](c *Comm, whole, part []T, counts, displs []int, d *direction) (w, p []byte, class Class, text string) {
	w, p = view(whole), view(part)
	parts, check := &c.coll.scattered, c.misread
	if d.gathers {
		parts, check = &c.coll.gathered, misplaced
	}
	if class, text := parts.check(check, c.size, len(whole), counts, displs, sizeOf[T]()); text != "" {
		return nil, nil, class, d.whole + ": " + text
	}
	switch {
	case sameStart(w, p):
		return w, w, 0, ""
	case len(part) != counts[c.rank]:
		return nil, nil, ErrCount, fmt.Sprintf("%s has %d elements, counts[%d] is %d; they must be equal", d.part, len(part), c.rank, counts[c.rank])
	case overlap(w, p) && !sameStart(view(whole[offset(counts, displs, c.rank):]), p) && touches(p, w, counts, displs, sizeOf[T](), d.gathers):
		return nil, nil, ErrBuffer, overlapText
	}
	return w, p, 0, ""
}

// touches reports whether p shares memory with one of the parts of whole, which are
// received into if the call gathers, and else sent: p may lie in a gap between them.
func touches(p, whole []byte, counts, displs []int, size int, gathers bool) bool {
	if !overlap(p, whole) {
		return false
	}
	send, recv := partsOf{1, func(int) []byte { return p }}, partsOf{len(counts), partAt(size, whole, counts, displs)}
	if !gathers {
		send, recv = recv, send
	}
	a, _ := meetingOf(send, recv, noneSkipped)
	return a != nil
}

// misfit returns what is wrong with counts and displs for size ranks and a buffer of n
// elements, or "".
func misfit(size, n int, counts, displs []int) (Class, string) {
	if len(counts) != size {
		return ErrCount, fmt.Sprintf("%d counts for %d ranks; give one for each", len(counts), size)
	}
	if displs != nil && len(displs) != size {
		return ErrCount, fmt.Sprintf("%d displs for %d ranks; give one for each, or nil if the parts follow each other", len(displs), size)
	}
	next := 0
	for i, k := range counts {
		if k < 0 {
			return ErrCount, fmt.Sprintf("counts[%d] is %d; it must be 0 or more", i, k)
		}
		from := next
		if displs != nil {
			from = displs[i]
		}
		if k > 0 && (from < 0 || from > n-k) {
			return ErrBuffer, fmt.Sprintf("part %d is elements %d to %d of a buffer of %d; lengthen the buffer, or correct counts and displs", i, from, from+k-1, n)
		}
		next = from + k
	}
	return 0, ""
}

// misplaced is misfit for a receive buffer, in which no element may belong to two parts
// (MPI 4.1, sections 6.5, 6.7 and 6.8). It sorts only parts that are not in ascending
// order.
func misplaced(size, n int, counts, displs []int) (Class, string) {
	if class, text := misfit(size, n, counts, displs); text != "" || displs == nil {
		return class, text
	}
	return overlapped(counts, displs, "received from")
}

// misread is misfit of what the root of Scatterv sends. The standard does not let an element belong to two parts there either
// (MPI 4.1, section 6.6). Two reads do no harm, so only a checked job looks.
func (c *core) misread(size, n int, counts, displs []int) (Class, string) {
	class, text := misfit(size, n, counts, displs)
	if text != "" || displs == nil || !c.w.Check {
		return class, text
	}
	return overlapped(counts, displs, "sent to")
}

// overlapped says which parts have an element in common, or "". way is how elements travel: "sent to" one rank.
func overlapped(counts, displs []int, way string) (Class, string) {
	end := 0
	for i, k := range counts {
		switch {
		case k == 0:
		case displs[i] < end:
			return doubled(counts, displs, way)
		default:
			end = displs[i] + k
		}
	}
	return 0, ""
}

// doubled names two parts that have an element in common, if there are any.
func doubled(counts, displs []int, way string) (Class, string) {
	order := make([]int, 0, len(counts))
	for i, k := range counts {
		if k > 0 {
			order = append(order, i)
		}
	}
	slices.SortFunc(order, func(i, j int) int { return displs[i] - displs[j] })
	for k, i := range order[1:] {
		if before := order[k]; displs[i] < displs[before]+counts[before] {
			return ErrBuffer, fmt.Sprintf("parts %d and %d both have element %d; an element is %s one rank", min(before, i), max(before, i), displs[i], way)
		}
	}
	return 0, ""
}

// offset returns the index of the first element of part i.
func offset(counts, displs []int, i int) (first int) {
	if displs != nil {
		return displs[i]
	}
	for _, k := range counts[:i] {
		first += k
	}
	return first
}
