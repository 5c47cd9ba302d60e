package collectives

// Everyone sends everyone its block and combines what it gets in rank order.
//
// Cost: 1 step, p-1 messages of n bytes per rank, p-1 reductions.
func reduceScatterBlockLinear(b *builder) {
	got := b.scratch(b.size * b.bytes)
	of := func(i int) region { return got.sub(i*b.bytes, b.bytes) }
	for d := 1; d < b.size; d++ {
		b.room(2)
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(of(src), src)
		b.send(b.inBlock(dst), dst)
	}
	b.copy(of(b.rank), b.inBlock(b.rank))
	b.wait()
	b.foldInOrder(b.out(), 0, b.size, of)
}
