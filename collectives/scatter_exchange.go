package collectives

// Root shows all blocks to all, and does not wait for them. Everyone takes its
// own.
//
// Cost: one step of the network, p n bytes read.
func scatterExchange(b *builder) {
	if b.rank == b.root {
		b.exchange(FromRoot, region{bufIn, 0, b.size * b.bytes}, region{})
		b.copy(b.out(), b.inBlock(b.rank))
		return
	}
	all := b.scratch(b.size * b.bytes)
	b.exchange(FromRoot, region{}, all)
	b.copy(b.out(), all.sub(b.rank*b.bytes, b.bytes))
}
