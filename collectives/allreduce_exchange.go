package collectives

// Everyone gets all contributions and combines them in rank order.
//
// Cost: one step of the network, p n bytes read, p-1 reductions.
func allreduceExchange(b *builder) {
	b.foldInOrder(b.out(), 0, b.size, b.exchanged(b.in()))
}

// exchanged hands in to all ranks and says where each one's contribution is.
func (b *builder) exchanged(in region) func(int) region {
	all := b.scratch(b.size * in.n)
	b.exchange(AllToAll, in, all)
	return func(i int) region { return all.sub(i*in.n, in.n) }
}
