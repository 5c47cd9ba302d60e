package collectives

// Every rank sends to every rank, nearest distances first.
//
// Cost: 1 step, p-1 messages of n bytes per rank.
func alltoallLinear(b *builder) {
	of := b.toSend()
	for d := 1; d < b.size; d++ {
		b.room(2)
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(b.outBlock(src), src)
		b.send(of(dst), dst)
	}
	b.copy(b.outBlock(b.rank), of(b.rank))
	b.wait()
}

// toSend returns where the block for a rank is; in an in-place call, in the copy.
func (b *builder) toSend() func(int) region {
	if !b.inPlace {
		return b.inBlock
	}
	all := b.scratch(b.size * b.bytes)
	b.copy(all, region{bufOut, 0, all.n})
	return func(i int) region { return all.sub(i*b.bytes, b.bytes) }
}
