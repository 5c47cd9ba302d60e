package collectives

// A binomial reduction to rank 0, which sends each rank its part.
//
// Cost: ceil(log2 p) + 1 steps of the whole in.
func reduceScatterReduceScatter(b *builder) {
	last := b.inPart(b.size - 1)
	all := region{bufIn, 0, last.off + last.n}
	home := b.scratch(all.n)
	b.inPlace = false // the value is computed in scratch, not in in
	value := binomialReduce(b, all, home, 0)
	mine := region{bufOut, 0, b.inPart(b.rank).n}
	linearScatter(b, mine, 0, func(i int) region { return value.sub(b.inPart(i).off, b.inPart(i).n) })
}
