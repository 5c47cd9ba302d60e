package collectives

// In step d everyone sends the rank d above its block and combines what comes
// from the one d below.
//
// Cost: p-1 steps of n bytes, each with a reduction.
func reduceScatterBlockPairwise(b *builder) { pairwiseReduceScatter(b, b.inBlock) }

// pairwiseReduceScatter is reduceScatterBlockPairwise of any parts of in.
func pairwiseReduceScatter(b *builder, part func(int) region) {
	// Out may lie in the part of in that is still to be sent.
	mine := part(b.rank)
	value, got := b.scratch(mine.n), b.scratch(mine.n)
	b.copy(value, mine)
	for d := 1; d < b.size; d++ {
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(got, src)
		b.send(part(dst), dst)
		b.wait()
		b.reduce(got, value)
	}
	b.copy(region{bufOut, 0, mine.n}, value)
}
