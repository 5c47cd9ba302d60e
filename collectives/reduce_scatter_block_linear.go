package collectives

// Every rank sends each rank its block and combines what it receives in rank order.
//
// Cost: 1 step, p-1 messages of n bytes per rank, p-1 reductions.
func reduceScatterBlockLinear(b *builder) { linearReduceScatter(b, b.inBlock) }

// linearReduceScatter is reduceScatterBlockLinear for any parts of in.
func linearReduceScatter(b *builder, part func(int) region) {
	mine := part(b.rank)
	got := b.scratch(b.size * mine.n)
	of := func(i int) region { return got.sub(i*mine.n, mine.n) }
	for d := 1; d < b.size; d++ {
		b.room(2)
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(of(src), src)
		b.send(part(dst), dst)
	}
	b.copy(of(b.rank), mine)
	b.wait()
	b.foldInOrder(region{bufOut, 0, mine.n}, 0, b.size, of)
}
