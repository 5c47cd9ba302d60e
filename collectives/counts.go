package collectives

import (
	"fmt"
	"slices"
)

// checkCounts is check for the operations with one count per rank.
func (g *Group) checkCounts(c *Call) (s shape, in, out []byte, err error) {
	s = shape{kind: c.Kind, elem: c.Elem, least: c.Least}
	if c.Kind.rooted() {
		s.root = c.Root
	}
	in, out = c.Send, c.Recv
	if c.Elem < 1 {
		return s, nil, nil, fmt.Errorf("collectives: %v: elements of %d bytes: %w", c.Kind, c.Elem, ErrCounts)
	}
	same := sameStart(in, out)
	whole, part, counts, displs := &out, &in, c.RecvCounts, c.RecvDispls
	switch c.Kind {
	case Alltoallv:
		s.inPlace = same
		if err = g.checkParts(c.Kind, out, c.RecvCounts, c.RecvDispls, c.Elem); err != nil {
			return s, nil, nil, err
		}
		if same {
			return s, out, out, nil
		}
		return s, in, out, g.checkParts(c.Kind, in, c.SendCounts, c.SendDispls, c.Elem)
	case Scatterv:
		whole, part, counts, displs = &in, &out, c.SendCounts, c.SendDispls
		fallthrough
	case Gatherv:
		if g.rank != c.Root {
			s.bytes, *whole = len(*part), nil
			return s, in, out, nil
		}
	}
	if err = g.checkParts(c.Kind, *whole, counts, displs, c.Elem); err != nil {
		return s, nil, nil, err
	}
	off, n := place(counts, displs, c.Elem, g.rank)
	if same {
		*part = (*whole)[off : off+n]
	}
	if c.Kind == Allgatherv { // whose counts all ranks know
		s.bytes = slices.Max(counts) * c.Elem
	}
	if len(*part) != n {
		err = fmt.Errorf("collectives: %v: rank %d has %d bytes, its count says %d: %w", c.Kind, g.rank, len(*part), n, ErrCounts)
	}
	return s, in, out, err
}

// checkParts checks that the parts of buf are within it. A part without elements has no
// place, so its displacement may be anything.
func (g *Group) checkParts(k Kind, buf []byte, counts, displs []int, elem int) error {
	if len(counts) != g.size || displs != nil && len(displs) != g.size {
		return fmt.Errorf("collectives: %v: %d counts and %d displacements for %d ranks: %w", k, len(counts), len(displs), g.size, ErrCounts)
	}
	room, next := len(buf)/elem, 0
	for i, n := range counts {
		at := next
		if displs != nil {
			at = displs[i]
		}
		if n < 0 || n > 0 && (at < 0 || n > room || at > room-n) {
			return fmt.Errorf("collectives: %v: rank %d has %d elements at %d of %d: %w", k, i, n, at, room, ErrCounts)
		}
		next = at + n
	}
	return nil
}

// checkShares checks that the counts add up to buf, and returns the length of the
// largest part in bytes.
func (g *Group) checkShares(buf []byte, counts []int, elem int) (largest int, err error) {
	if err := g.checkParts(ReduceScatter, buf, counts, nil, elem); err != nil {
		return 0, err
	}
	sum := 0
	for _, n := range counts {
		sum += n * elem
		largest = max(largest, n*elem)
	}
	if sum != len(buf) {
		err = fmt.Errorf("collectives: %v: the counts make %d bytes of %d: %w", ReduceScatter, sum, len(buf), ErrCounts)
	}
	return largest, err
}

// place returns offset and length in bytes of rank i's part.
func place(counts, displs []int, elem, i int) (off, n int) {
	switch {
	case displs != nil && counts[i] == 0:
		return 0, 0 // it has no place
	case displs != nil:
		return displs[i] * elem, counts[i] * elem
	}
	for _, c := range counts[:i] {
		off += c
	}
	return off * elem, counts[i] * elem
}
