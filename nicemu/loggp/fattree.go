package loggp

import (
	"fmt"

	"rhinet/nicemu/medium"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A FatTree is a k-ary n-tree: each switch has k children, and k/taper parents. Ranks are its
// leaves, in order. The switches of level 1 are next to the ranks.
//
// The k^j ranks below a switch of level j form a group, which u^(j-1) switches serve; u is the
// number of parents. A packet climbs to the lowest level at which its source and its destination
// are in one group, at each level to the parent that a digit of the destination selects; there is
// only one route down (routing by destination, modulo u).
type FatTree struct {
	flow
	costs   medium.Costs
	ranks   int
	k, u    int
	levels  int
	nic     vtime.Time
	wire    vtime.Time // a switch and the link after it
	first   []int      // by level j >= 1: the first link up from it; the links down to it follow
	between []int      // by level: number of links up from it
}

var _ medium.Model = (*FatTree)(nil)

// NewFatTree returns the smallest tree for the given number of ranks with the parameters of
// [FatTreeParameters].
func NewFatTree(k *vtime.Kernel, ranks int, t *param.Table) (*FatTree, error) {
	m := &FatTree{costs: costs(t), ranks: ranks, k: t.Int("k"), nic: vtime.Nanoseconds(t.Value("nic")), wire: vtime.Nanoseconds(t.Value("hop"))}
	taper := t.Int("taper")
	if m.k%taper != 0 {
		return nil, fmt.Errorf("%w: a switch with k=%d children has k/taper parents, and taper=%d does not divide that", param.ErrSetting, m.k, taper)
	}
	m.u = m.k / taper
	links := 2 * ranks
	m.first, m.between = []int{0}, []int{0}
	switches := 1
	for below := m.k; ; below *= m.k {
		m.levels++
		if below >= ranks {
			break
		}
		n := (ranks + below - 1) / below * switches * m.u
		m.first, m.between = append(m.first, links), append(m.between, n)
		links += 2 * n
		switches *= m.u
	}
	m.flow = newFlow(k, "fattree", links, m)
	m.gap, m.perByte = vtime.Nanoseconds(t.Value("g")), medium.PerByte(1/t.Value("rate"))
	return m, nil
}

// Levels returns the number of levels of switches.
func (m *FatTree) Levels() int { return m.levels }

// Lookahead is the time through the NICs and one switch.
func (m *FatTree) Lookahead() vtime.Time { return 2*m.nic + m.wire }

// Costs returns the costs o, O, of a poll, and S.
func (m *FatTree) Costs() medium.Costs { return m.costs }

// climb returns the highest level that a packet reaches.
func (m *FatTree) climb(src, dst int) int {
	level := 1
	for src, dst = src/m.k, dst/m.k; src != dst; src, dst = src/m.k, dst/m.k {
		level++
	}
	return level
}

// hop: link 0 leads from the rank to level 1, link i < top up from level i, then as many links
// down, and the last link to the rank.
func (m *FatTree) hop(src, dst, i int) (link int, delay vtime.Time, last bool) {
	top := m.climb(src, dst)
	switch {
	case i == 0:
		return src, m.nic + m.wire, false
	case i < top:
		return m.up(src, dst, i), m.wire, false
	case i < 2*top-1:
		level := 2*top - 1 - i
		return m.between[level] + m.up(dst, dst, level), m.wire, false
	}
	return m.ranks + dst, m.nic, true
}

// up returns the link from a switch of a level, in the group of a rank, to the next parent on the
// route to dst.
func (m *FatTree) up(rank, dst, level int) int {
	group, index := rank, 0
	for range level {
		group /= m.k
		index = index*m.u + dst%m.u
		dst /= m.u
	}
	parents := 1
	for range level {
		parents *= m.u
	}
	return m.first[level] + group*parents + index
}

func (m *FatTree) name(link int) string {
	switch {
	case link < m.ranks:
		return fmt.Sprintf("out of rank %d", link)
	case link < 2*m.ranks:
		return fmt.Sprintf("into rank %d", link-m.ranks)
	}
	level := 1
	for link >= m.first[level]+2*m.between[level] {
		level++
	}
	if n := link - m.first[level]; n < m.between[level] {
		return fmt.Sprintf("up from level %d, link %d", level, n)
	}
	return fmt.Sprintf("down to level %d, link %d", level, link-m.first[level]-m.between[level])
}
