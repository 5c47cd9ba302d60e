package collectives

import "slices"

// One rank of each host receives the message from root, and broadcasts it on its host.
//
// Cost: that of a broadcast among h hosts, and of one within a host.
func bcastHosts(b *builder) {
	heads := b.hosts.heads(b.root)
	b.do(stage{ranks: heads, kind: Bcast, root: b.hosts.of[b.root], out: b.out()})
	b.tell(heads, b.out())
}

// tell has the head of each host send a buffer to the other ranks of the host.
func (b *builder) tell(heads []int, buf region) {
	mates := b.hosts.mates(b.rank)
	b.do(stage{ranks: mates, kind: Bcast, root: slices.Index(mates, heads[b.hosts.of[b.rank]]), out: buf})
}
