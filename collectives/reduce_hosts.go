package collectives

import "slices"

// The ranks of each host reduce to one of them, and these ranks reduce to root. If the
// operation does not commute, the ranks of a host must be consecutive.
//
// Cost: that of a reduction within a host, and of one among h hosts.
func reduceHosts(b *builder) {
	heads := b.hosts.heads(b.root)
	var part region // the value of a host
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

// combine reduces the contributions of each host's ranks to part of its head. inPlace
// says that the contribution of a head is there.
func (b *builder) combine(heads []int, part region, inPlace bool) {
	mates, head := b.hosts.mates(b.rank), heads[b.hosts.of[b.rank]]
	b.do(stage{ranks: mates, kind: Reduce, root: slices.Index(mates, head), in: b.in(), out: part, inPlace: inPlace && b.rank == head})
}
