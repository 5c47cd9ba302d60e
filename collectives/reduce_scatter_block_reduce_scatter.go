package collectives

// A binomial reduction to rank 0, which scatters the result down the tree.
//
// Cost: 2 ceil(log2 p) steps; n p bytes in each of the first half.
func reduceScatterBlockReduceScatter(b *builder) {
	all := region{bufIn, 0, b.size * b.bytes}
	home := b.scratch(all.n)
	b.inPlace = false // the value is computed in scratch, not in in
	value := binomialReduce(b, all, home, 0)
	binomialScatter(b, value, b.out(), 0)
}
