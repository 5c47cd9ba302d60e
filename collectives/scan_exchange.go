package collectives

// Every rank gets all contributions and combines those of ranks up to itself.
//
// Cost: one step of the network, p n bytes read, rank reductions.
func scanExchange(b *builder) {
	b.foldInOrder(b.out(), 0, b.rank+1, b.exchanged(b.in()))
}
