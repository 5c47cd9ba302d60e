package collectives

// One rank of each host gathers the blocks of its host, which are consecutive; these
// ranks exchange them around a ring; and each broadcasts the result on its host.
//
// Cost: h-1 steps between h hosts, and that of a gather and a broadcast within a host.
func allgatherHosts(b *builder) {
	heads, mates := b.hosts.heads(0), b.hosts.mates(b.rank)
	b.within(mates, func(sub *builder) {
		linearGather(sub, b.in(), 0, func(i int) region { return b.outBlock(mates[i]) })
	})
	blocks := func(host int) region {
		ranks := b.hosts.hosts[host]
		return region{bufOut, ranks[0] * b.bytes, len(ranks) * b.bytes}
	}
	if at := b.hosts.of[b.rank]; b.rank == heads[at] {
		b.within(heads, func(sub *builder) { ringAllgather(sub, blocks(at), blocks) })
	}
	b.tell(heads, region{bufOut, 0, b.size * b.bytes})
}
