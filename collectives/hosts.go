package collectives

import "slices"

// A hostMap says which ranks of a group share a host. Algorithms named "hosts" send a
// message between two hosts once, and distribute it among the ranks of a host there.
type hostMap struct {
	hosts       [][]int // ranks of each host, in order; hosts in the order of their lowest ranks
	of          []int   // index in hosts, by rank
	consecutive bool    // the ranks of each host are consecutive
}

// newHostMap returns the map of a group whose rank i is on host hosts[i]; nil if each
// rank has its own host, or all share one.
func newHostMap(hosts []int) *hostMap {
	m := &hostMap{of: make([]int, len(hosts)), consecutive: true}
	index := map[int]int{}
	for rank, host := range hosts {
		i, known := index[host]
		if !known {
			i = len(m.hosts)
			index[host] = i
			m.hosts = append(m.hosts, nil)
		}
		m.of[rank] = i
		m.hosts[i] = append(m.hosts[i], rank)
		m.consecutive = m.consecutive && i == len(m.hosts)-1
	}
	if len(m.hosts) < 2 || len(m.hosts) == len(hosts) {
		return nil
	}
	return m
}

// mates returns the ranks on the host of a rank.
func (m *hostMap) mates(rank int) []int { return m.hosts[m.of[rank]] }

// heads returns one rank of each host, which communicates for it: root on its host, on
// others the lowest rank.
func (m *hostMap) heads(root int) []int {
	all := make([]int, len(m.hosts))
	for i, ranks := range m.hosts {
		all[i] = ranks[0]
	}
	all[m.of[root]] = root
	return all
}

// A stage is a part of an operation that is itself an operation among some ranks: those
// in ranks, numbered by their index, as is root.
type stage struct {
	ranks   []int
	kind    Kind
	root    int
	in, out region
	inPlace bool // in is in out
}

// do appends a stage with the algorithm that the table prefers for it, unless this rank
// takes no part in it.
func (b *builder) do(s stage) {
	at := slices.Index(s.ranks, b.rank)
	if at < 0 {
		return
	}
	if len(s.ranks) == 1 {
		if s.in.n == s.out.n && !s.inPlace {
			b.copy(s.out, s.in)
		}
		return
	}
	is := b.shape
	is.kind, is.root, is.inPlace, is.bytes = s.kind, s.root, s.inPlace, s.in.n
	if s.kind == Bcast {
		is.bytes = s.out.n
	}
	b.within(s.ranks, func(sub *builder) {
		sub.shape, sub.from, sub.to = is, s.in, s.out
		b.plain(is, len(s.ranks)).build(sub)
	})
}

// within has build append steps for some ranks to the schedule, as if there were no
// others.
func (b *builder) within(ranks []int, build func(sub *builder)) {
	b.wait()
	sub := &builder{shape: b.shape, rank: slices.Index(ranks, b.rank), size: len(ranks), width: b.width, ranks: ranks, sched: b.sched}
	build(sub)
	sub.wait()
	b.sched = sub.sched
}
