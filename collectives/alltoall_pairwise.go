package collectives

// In step d every rank sends to the rank d above and receives from the rank d below; if
// the number of ranks is a power of two, pairs exchange.
//
// Cost: p-1 steps of n bytes.
func alltoallPairwise(b *builder) {
	of := b.toSend()
	for d := 1; d < b.size; d++ {
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		if b.size&(b.size-1) == 0 {
			src, dst = b.rank^d, b.rank^d
		}
		b.recv(b.outBlock(src), src)
		b.send(of(dst), dst)
		b.wait()
	}
	b.copy(b.outBlock(b.rank), of(b.rank))
}
