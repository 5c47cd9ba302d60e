package layout

import "slices"

// A Run is a sequence of basic elements of one kind.
type Run struct {
	Code  uint32 // of the kind
	Unit  int    // bytes of one element
	Bytes int    // of all
}

// A Signature says what data consists of, without gaps (MPI 4.1, section 5.1: the type signature): Runs,
// once or repeated, as few as possible. If Runs is empty, the signature is not known, because it has too
// many.
type Signature struct {
	Runs  []Run
	Bytes int // of Runs
}

// mostRuns limits the length of a signature.
const mostRuns = 1 << 12

// SignatureOf returns the signature of runs, in its simplest form.
func SignatureOf(runs ...Run) *Signature {
	var s Signature
	for _, r := range runs {
		s.add(r)
	}
	return s.reduced()
}

// Same reports whether both signatures are equal.
func (s *Signature) Same(o *Signature) bool { return s == o || slices.Equal(s.Runs, o.Runs) }

// add appends a run.
func (s *Signature) add(r Run) {
	if r.Bytes == 0 {
		return
	}
	s.Bytes += r.Bytes
	if k := len(s.Runs) - 1; k >= 0 && s.Runs[k].Code == r.Code && s.Runs[k].Unit == r.Unit {
		s.Runs[k].Bytes += r.Bytes
		return
	}
	s.Runs = append(s.Runs, r)
}

// joined returns the signature of the parts one after the other.
func joined(parts []*Type) *Signature {
	first := parts[0].sig
	same := true
	for _, t := range parts {
		same = same && t.sig.Same(first)
	}
	if same {
		return first
	}
	var s Signature
	for _, t := range parts {
		if len(t.sig.Runs) == 0 {
			return &Signature{}
		}
		if len(t.sig.Runs) == 1 {
			r := t.sig.Runs[0]
			r.Bytes = t.size
			s.add(r)
			continue
		}
		for range t.size / t.sig.Bytes {
			for _, r := range t.sig.Runs {
				s.add(r)
			}
			if len(s.Runs) > mostRuns {
				return &Signature{}
			}
		}
	}
	return s.reduced()
}

// reduced returns the shortest signature that repeats to the same elements as s. A period may begin within
// a run, if the last run continues in the first one: so the search is over the runs with these two joined.
func (s *Signature) reduced() *Signature {
	n := len(s.Runs)
	switch n {
	case 0:
		return s
	case 1:
		r := s.Runs[0]
		return &Signature{[]Run{{r.Code, r.Unit, r.Unit}}, r.Unit}
	}
	ring := slices.Clone(s.Runs)
	first, last := s.Runs[0], s.Runs[n-1]
	around := n > 2 && first.Code == last.Code && first.Unit == last.Unit
	if around {
		ring = ring[:n-1]
		ring[0].Bytes += last.Bytes
	}
	p := period(ring)
	if p == len(ring) {
		return s
	}
	runs := ring[:p]
	if around {
		runs[0].Bytes -= last.Bytes
		runs = append(slices.Clone(runs), last)
	}
	var r Signature
	for _, q := range runs {
		r.add(q)
	}
	return &r
}

// period returns the length of the shortest part of runs that repeats to all of them.
func period(runs []Run) int {
	fail := make([]int, len(runs))
	for i, k := 1, 0; i < len(runs); i++ {
		for k > 0 && runs[i] != runs[k] {
			k = fail[k-1]
		}
		if runs[i] == runs[k] {
			k++
		}
		fail[i] = k
	}
	p := len(runs) - fail[len(runs)-1]
	if len(runs)%p != 0 {
		return len(runs)
	}
	return p
}

// Unit returns the bytes of one element if all have the same size, else 1.
func (s *Signature) Unit() int {
	unit := 0
	for _, r := range s.Runs {
		if unit != 0 && r.Unit != unit {
			return 1
		}
		unit = r.Unit
	}
	return max(unit, 1)
}

// Elements returns how many basic elements n bytes hold, and whether they end with a whole one; -1 if the
// signature is not known.
func (s *Signature) Elements(n int) (count int, whole bool) {
	if len(s.Runs) == 0 {
		return -1, n == 0
	}
	for _, r := range s.Runs {
		count += r.Bytes / r.Unit
	}
	count *= n / s.Bytes
	n %= s.Bytes
	for _, r := range s.Runs {
		k := min(n, r.Bytes)
		count += k / r.Unit
		if n -= k; n == 0 {
			return count, k%r.Unit == 0
		}
	}
	return count, true
}
