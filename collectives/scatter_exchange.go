package collectives

// Root shows the blocks of the other ranks to all, and does not wait for them. Every
// rank copies its own.
//
// Cost: one step of the network, (p-1) n bytes read.
func scatterExchange(b *builder) {
	if b.rank != b.root {
		all := b.scratch((b.size - 1) * b.bytes)
		b.exchange(FromRoot, region{}, all)
		b.copy(b.out(), all.sub(BlockOf(b.rank, b.root)*b.bytes, b.bytes))
		return
	}
	b.exchange(FromRoot, b.allBut(b.root), region{})
	b.copy(b.out(), b.inBlock(b.rank))
}

// allBut returns all blocks of the input except one rank's, in one piece.
func (b *builder) allBut(rank int) region {
	before, after := rank*b.bytes, (b.size-1-rank)*b.bytes
	low, high := region{bufIn, 0, before}, region{bufIn, before + b.bytes, after}
	switch 0 {
	case before:
		return high
	case after:
		return low
	}
	all := b.scratch(before + after)
	b.copy(all.sub(0, before), low)
	b.copy(all.sub(before, after), high)
	return all
}

// BlockOf returns the index of rank's block among those that root shows in a Scatter, or
// that the rank root shows in an Alltoall: all blocks but its own.
func BlockOf(rank, root int) int {
	if rank > root {
		return rank - 1
	}
	return rank
}
