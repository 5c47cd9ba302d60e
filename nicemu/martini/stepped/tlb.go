package stepped

import "rhinet/nicemu/martini"

const maxWays = 4

// A segment is an entry of RVATLB; its tag is SID and generation. Our choice: it has the length
// too, as in the SID table.
type segment struct{ start, length uint64 }

// A tlb is PATLB or RVATLB (martini, section 5.1). It never refills itself.
// Index function and replacement policy are our choice: the low bits of page
// number or SID, spread by the key, and least recently used.
type tlb[V any] struct {
	ways  int
	mask  uint64
	lines []line[V]
	hits  uint64
	lost  uint64
	clock uint64
}

type line[V any] struct {
	valid    bool
	key, tag uint64
	used     uint64
	value    V
}

func newTLB[V any](g Geometry) tlb[V] {
	return tlb[V]{ways: g.Ways, mask: uint64(g.Sets) - 1, lines: make([]line[V], g.Sets*g.Ways)}
}

func (t *tlb[V]) set(key, tag uint64) []line[V] {
	at := int((tag^key>>32*97)&t.mask) * t.ways
	return t.lines[at : at+t.ways]
}

func (t *tlb[V]) find(key, tag uint64) *V {
	set := t.set(key, tag)
	for i := range set {
		if l := &set[i]; l.valid && l.key == key && l.tag == tag {
			t.clock++
			t.hits++
			l.used = t.clock
			return &l.value
		}
	}
	t.lost++
	return nil
}

// replace enters a value in place of its old entry, an empty one, or the least recently used one.
func (t *tlb[V]) replace(key, tag uint64, v V) {
	set := t.set(key, tag)
	best := &set[0]
	for i := range set {
		l := &set[i]
		if l.valid && l.key == key && l.tag == tag {
			best = l
			break
		}
		if best.valid && (!l.valid || l.used < best.used) {
			best = l
		}
	}
	t.clock++
	*best = line[V]{true, key, tag, t.clock, v}
}

func (t *tlb[V]) drop(gone func(key, tag uint64) bool) {
	for i := range t.lines {
		if l := &t.lines[i]; l.valid && gone(l.key, l.tag) {
			*l = line[V]{}
		}
	}
}

// remove drops one entry.
func (t *tlb[V]) remove(key, tag uint64) {
	set := t.set(key, tag)
	for i := range set {
		if l := &set[i]; l.key == key && l.tag == tag {
			*l = line[V]{}
		}
	}
}

// TLB returns hits and misses of a node's PATLB and RVATLB so far.
func (m *Machine) TLB(node int) (patlbHits, patlbMisses, rvatlbHits, rvatlbMisses uint64) {
	n := m.nodes[node]
	return n.patlb.hits, n.patlb.lost, n.rvatlb.hits, n.rvatlb.lost
}

// Flush empties PATLB and RVATLB of a node.
func (m *Machine) Flush(node int) {
	all := func(_, _ uint64) bool { return true }
	m.nodes[node].patlb.drop(all)
	m.nodes[node].rvatlb.drop(all)
}

// A translation is an address in a page that PATLB has translated.
type translation struct {
	frame martini.Frame
	off   int
	size  int
}

// translate is IPA2: it asks PATLB for the part of size bytes at va that lies on one page. The
// memory must be there, and seg, if there is one, still registered.
func (n *node) translate(t *translation, key, va uint64, size int, seg martini.Segment) bool {
	f := n.patlb.find(key, va/pageBytes)
	if f == nil || seg != 0 && !n.nic.Known(seg) {
		return false
	}
	t.frame, t.off = *f, int(va%pageBytes)
	t.size = min(size, pageBytes-t.off)
	return t.frame.Bytes(t.off, t.size) != nil
}

const pageBytes = 4096
