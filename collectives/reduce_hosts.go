package collectives

import "slices"

// The ranks of each host combine their contributions at one of them, and these ranks theirs at root.
// If the operation does not commute, the ranks of a host must follow each other.
//
// Cost: that of a reduction within a host, and of one among h hosts.
func reduceHosts(b *builder) {
	heads := b.hosts.heads(b.root)
	var part region // what a host has combined
	switch b.rank {
	case b.root:
		part = b.out()
	case heads[b.hosts.of[b.rank]]:
		part = b.scratch(b.bytes)
	}
	b.combine(heads, part, b.inPlace)
	s := stage{ranks: heads, kind: Reduce, root: b.hosts.of[b.root], in: part}
	if b.rank == b.root {
		s.out, s.inPlace = part, true
	}
	b.do(s)
}

// combine has the head of each host get in part what its ranks contribute together. inPlace says that
// the contribution of a head lies there.
func (b *builder) combine(heads []int, part region, inPlace bool) {
	mates, head := b.hosts.mates(b.rank), heads[b.hosts.of[b.rank]]
	b.do(stage{ranks: mates, kind: Reduce, root: slices.Index(mates, head), in: b.in(), out: part, inPlace: inPlace && b.rank == head})
}
