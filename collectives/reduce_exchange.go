package collectives

// Every rank shows its contribution to root, and does not wait for it. Root combines
// the contributions in rank order.
//
// Cost: one step of the network, p n bytes read and p-1 reductions by root.
func reduceExchange(b *builder) {
	if b.rank != b.root {
		b.exchange(ToRoot, b.in(), region{})
		return
	}
	all := b.scratch(b.size * b.bytes)
	b.exchange(ToRoot, b.in(), all)
	b.foldInOrder(b.out(), 0, b.size, func(i int) region { return all.sub(i*b.bytes, b.bytes) })
}
