package collectives

// The ranks of a host report to one of them, these ranks synchronize, and each releases
// its host.
//
// Cost: 2 steps within hosts, ceil(log2 h) between h hosts, with one message of a host in each.
func barrierHosts(b *builder) {
	mates, heads := b.hosts.mates(b.rank), b.hosts.heads(0)
	head := heads[b.hosts.of[b.rank]]
	if b.rank != head {
		b.signal(head)
		b.wait()
		b.await(head)
		return
	}
	b.others(mates, b.await)
	b.do(stage{ranks: heads, kind: Barrier})
	b.others(mates, b.signal)
}

// others calls do for the ranks besides this one.
func (b *builder) others(ranks []int, do func(rank int)) {
	for _, r := range ranks {
		if r != b.rank {
			do(r)
		}
	}
}
