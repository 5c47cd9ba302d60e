package collectives

// Root shows the blocks of the others to all, and does not wait for them. Everyone takes its
// own.
//
// Cost: one step of the network, (p-1) n bytes read.
func scatterExchange(b *builder) {
	before, after := b.root*b.bytes, (b.size-1-b.root)*b.bytes
	all := b.scratch(before + after)
	if b.rank != b.root {
		b.exchange(FromRoot, region{}, all)
		b.copy(b.out(), all.sub(BlockOf(b.rank, b.root)*b.bytes, b.bytes))
		return
	}
	switch low, high := (region{bufIn, 0, before}), (region{bufIn, before + b.bytes, after}); 0 {
	case before:
		all = high
	case after:
		all = low
	default:
		b.copy(all.sub(0, before), low)
		b.copy(all.sub(before, after), high)
	}
	b.exchange(FromRoot, all, region{})
	b.copy(b.out(), b.inBlock(b.rank))
}

// BlockOf is the number of a rank's block among those that root shows in a Scatter, which are without its own.
func BlockOf(rank, root int) int {
	if rank > root {
		return rank - 1
	}
	return rank
}
