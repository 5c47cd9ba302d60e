package collectives

import "slices"

// One rank of each host gets the message from root, and passes it on there.
//
// Cost: that of a broadcast among h hosts, and of one within a host.
func bcastHosts(b *builder) {
	heads := b.hosts.heads(b.root)
	b.do(stage{ranks: heads, kind: Bcast, root: b.hosts.of[b.root], out: b.out()})
	b.tell(heads, b.out())
}

// tell has the head of each host give a buffer to the others there.
func (b *builder) tell(heads []int, buf region) {
	mates := b.hosts.mates(b.rank)
	b.do(stage{ranks: mates, kind: Bcast, root: slices.Index(mates, heads[b.hosts.of[b.rank]]), out: buf})
}
