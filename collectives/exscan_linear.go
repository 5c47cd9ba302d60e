package collectives

// Every rank sends to all higher ranks and combines what it receives in rank order.
//
// Cost: 1 step, up to p-1 messages of n bytes per rank.
func exscanLinear(b *builder) {
	of := b.fromBelow()
	if b.rank > 0 {
		b.foldInOrder(b.out(), 0, b.rank, of)
	}
}
