package mpi

import (
	"cmp"
	"iter"
	"slices"
)

// spans are guards in the order of the addresses where their memory begins. Usually a
// new one begins behind the others. A removed one stays in the list until all have been
// removed, or its slot is needed.
type spans struct {
	list []posted
	in   int // how many of the list have not been removed

	// Of those in the list:
	last    uintptr // where the last one begins, or above
	end     uintptr // of their memory
	longest uintptr
}

// A posted is a guard at its term-th use.
type posted struct {
	from uintptr
	g    *guard
	term uint64
}

// there reports whether the guard has not been removed.
func (o *posted) there() bool { return o.g.term == o.term }

func (s *spans) add(g *guard) {
	if n := g.to - g.from; n > s.longest {
		s.longest = n
	}
	if g.to > s.end {
		s.end = g.to
	}
	s.in++
	n := len(s.list)
	if g.from < s.last || n == cap(s.list) {
		s.insert(g)
		return
	}
	s.last = g.from
	s.list = s.list[:n+1]
	s.list[n] = posted{g.from, g, g.term}
}

// insert is add if the list is full, or if the guard need not come last.
func (s *spans) insert(g *guard) {
	s.tidy()
	s.list = slices.Insert(s.list, s.after(g.from), posted{g.from, g, g.term})
	s.last = max(s.last, g.from)
}

// tidy deletes removed guards from the list, if they are more than half of it.
func (s *spans) tidy() {
	if len(s.list) > 2*s.in {
		s.list = slices.DeleteFunc(s.list, func(o posted) bool { return !o.there() })
	}
}

func (s *spans) remove(g *guard) {
	g.term++
	if s.in--; s.in == 0 {
		s.list = s.list[:0]
		s.last, s.end, s.longest = 0, 0, 0
	}
}

// after returns the index of the first guard that begins behind an address.
func (s *spans) after(at uintptr) int {
	low, high := 0, len(s.list)
	for low < high {
		if mid := (low + high) / 2; s.list[mid].from <= at {
			low = mid + 1
		} else {
			high = mid
		}
	}
	return low
}

// touching returns a guard of another request that shares memory with g, or nil.
func (s *spans) touching(g *guard) *guard {
	s.tidy()
	for i := s.after(g.to-1) - 1; i >= 0; i-- {
		o := &s.list[i]
		if o.from+s.longest <= g.from {
			break // those before it do not reach g, either
		}
		if o.there() && o.g.to > g.from && o.g.owner != g.owner && g.shares(o.g) {
			return o.g
		}
	}
	return nil
}

// overlapping iterates over all guards that share memory with g: a slow search, for rare
// cases.
func (s *spans) overlapping(g *guard) iter.Seq[*guard] {
	return func(yield func(*guard) bool) {
		for i := range s.list {
			if o := &s.list[i]; o.there() && o.from < g.to && g.from < o.g.to && g.shares(o.g) && !yield(o.g) {
				return
			}
		}
	}
}

// An addressSpan is the memory from one address up to another.
type addressSpan struct{ from, to uintptr }

// pieces returns the memory of a guarded buffer, in order.
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
