package mpi

import (
	"cmp"
	"iter"
	"slices"
)

// Spans are guards by the address where their memory begins.
type spans struct {
	list    []*guard // from number first on
	first   int
	longest uintptr // of those in it since it was empty
}

// after is the number of the first that begins behind an address.
func (s *spans) after(at uintptr) int {
	low, high := s.first, len(s.list)
	if low == high || s.list[high-1].from <= at { // most often
		return high
	}
	for low < high {
		if mid := (low + high) / 2; s.list[mid].from <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

func (s *spans) add(g *guard) {
	if len(s.list) == cap(s.list) && s.first > len(s.list)/2 {
		s.list, s.first = slices.Delete(s.list, 0, s.first), 0
	}
	s.longest = max(s.longest, g.to-g.from)
	if at := s.after(g.from); at < len(s.list) {
		s.list = slices.Insert(s.list, at, g)
		return
	}
	s.list = append(s.list, g)
}

func (s *spans) remove(g *guard) {
	if s.list[s.first] == g { // requests end in the order of their beginnings, most often
		s.list[s.first] = nil
		s.first++
	} else {
		i := s.after(g.from) - 1
		for s.list[i] != g {
			i--
		}
		s.list = slices.Delete(s.list, i, i+1)
	}
	if s.first == len(s.list) {
		s.list, s.first, s.longest = s.list[:0], 0, 0
	}
}

// touching is one that shares memory with g, or nil.
func (s *spans) touching(g *guard) *guard {
	for i := s.after(g.to-1) - 1; i >= s.first; i-- {
		o := s.list[i]
		if o.from+s.longest <= g.from {
			break // nor do those before it reach so far
		}
		if o.to > g.from && g.shares(o) {
			return o
		}
	}
	return nil
}

// around are all that share memory with g: a slow look at each, for what is rare.
func (s *spans) around(g *guard) iter.Seq[*guard] {
	return func(yield func(*guard) bool) {
		for _, o := range s.list[s.first:] {
			if o.from < g.to && g.from < o.to && g.shares(o) && !yield(o) {
				return
			}
		}
	}
}

// An addressSpan is memory from an address up to another.
type addressSpan struct{ from, to uintptr }

// pieces are the memory of a guarded buffer, in order.
func (g *guard) pieces() (all []addressSpan) {
	if g.in == nil {
		return []addressSpan{{g.from, g.to}}
	}
	origin := address(g.in.v.mem) + uintptr(g.in.origin)
	for at, n := range g.in.l.Segments(g.at, g.at+g.size) {
		all = append(all, addressSpan{origin + uintptr(at), origin + uintptr(at) + uintptr(n)})
	}
	slices.SortFunc(all, func(a, b addressSpan) int { return cmp.Compare(a.from, b.from) })
	return all
}
