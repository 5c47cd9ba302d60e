package collectives

// In step d everyone sends the rank d above its block and combines what comes
// from the one d below.
//
// Cost: p-1 steps of n bytes, each with a reduction.
func reduceScatterBlockPairwise(b *builder) {
	// Out may lie in the part of in that is still to be sent.
	value, got := b.scratch(b.bytes), b.scratch(b.bytes)
	b.copy(value, b.inBlock(b.rank))
	for d := 1; d < b.size; d++ {
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(got, src)
		b.send(b.inBlock(dst), dst)
		b.wait()
		b.reduce(got, value)
	}
	b.copy(b.out(), value)
}
