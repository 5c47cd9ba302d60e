package collectives

// Everyone sends to all ranks above and combines in rank order what it gets.
//
// Cost: 1 step, up to p-1 messages of n bytes per rank.
func exscanLinear(b *builder) {
	of := b.fromBelow()
	if b.rank > 0 {
		b.foldInOrder(b.out(), 0, b.rank, of)
	}
}
