package collectives

// Every rank gets all contributions and combines them in rank order.
//
// Cost: one step of the network, p n bytes read, p-1 reductions.
func allreduceExchange(b *builder) {
	b.foldInOrder(b.out(), 0, b.size, b.exchanged(b.in()))
}

// exchanged sends in to all ranks and says where the contribution of each is.
func (b *builder) exchanged(in region) func(int) region {
	all := b.scratch(b.size * in.n)
	b.exchange(AllToAll, in, all)
	return func(i int) region { return all.sub(i*in.n, in.n) }
}
