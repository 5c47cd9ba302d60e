package collectives

// Every rank gets all contributions and combines those of lower ranks.
//
// Cost: one step of the network, p n bytes read, rank-1 reductions.
func exscanExchange(b *builder) {
	of := b.exchanged(b.in())
	if b.rank > 0 {
		b.foldInOrder(b.out(), 0, b.rank, of)
	}
}
