package collectives

// Every rank gets all contributions and combines its own block of them.
//
// Cost: one step of the network, p p n bytes read, p-1 reductions.
func reduceScatterBlockExchange(b *builder) { exchangeReduceScatter(b, b.inBlock) }

// exchangeReduceScatter is reduceScatterBlockExchange for any adjacent parts of in.
func exchangeReduceScatter(b *builder, part func(int) region) {
	mine, last := part(b.rank), part(b.size-1)
	of := b.exchanged(region{bufIn, 0, last.off + last.n})
	b.foldInOrder(region{bufOut, 0, mine.n}, 0, b.size, func(i int) region { return of(i).sub(mine.off, mine.n) })
}
