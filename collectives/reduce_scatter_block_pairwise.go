package collectives

// In step d every rank sends to the rank d above the block of that rank, and combines
// what it receives from the rank d below.
//
// Cost: p-1 steps of n bytes, each with a reduction.
func reduceScatterBlockPairwise(b *builder) { pairwiseReduceScatter(b, b.inBlock) }

// pairwiseReduceScatter is reduceScatterBlockPairwise for any parts of in.
func pairwiseReduceScatter(b *builder, part func(int) region) {
	// Out may overlap the part of in that is still to be sent.
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
