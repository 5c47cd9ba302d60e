package collectives

// Everyone gets all contributions and combines those below its own.
//
// Cost: one step of the network, p n bytes read, rank-1 reductions.
func exscanExchange(b *builder) {
	of := b.exchanged(b.in())
	if b.rank > 0 {
		b.foldInOrder(b.out(), 0, b.rank, of)
	}
}
