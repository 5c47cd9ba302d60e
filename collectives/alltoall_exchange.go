package collectives

// Every rank shows its blocks for the others to all ranks, and copies those that are for
// it from what they show.
//
// Cost: one step of the network, p (p-1) n bytes read.
func alltoallExchange(b *builder) {
	of := b.exchanged(b.allBut(b.rank))
	for i := range b.size {
		if i != b.rank {
			b.copy(b.outBlock(i), of(i).sub(BlockOf(b.rank, i)*b.bytes, b.bytes))
		}
	}
	b.copy(b.outBlock(b.rank), b.inBlock(b.rank))
}
