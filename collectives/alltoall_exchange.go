package collectives

// Everyone gets everything and takes what is meant for it.
//
// Cost: one step of the network, p p n bytes read.
func alltoallExchange(b *builder) {
	row := region{bufIn, 0, b.size * b.bytes}
	of := b.exchanged(row)
	for i := range b.size {
		b.copy(b.outBlock(i), of(i).sub(b.rank*b.bytes, b.bytes))
	}
}
