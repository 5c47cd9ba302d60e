package collectives

// Root sends each rank its block.
//
// Cost: 1 step, (p-1) n bytes at root.
func scatterLinear(b *builder) { linearScatter(b, b.out(), b.root, b.inBlock) }

// linearScatter is the inverse of linearGather.
func linearScatter(b *builder, mine region, root int, place func(int) region) {
	if b.rank != root {
		b.recvAny(mine, root)
		b.wait()
		return
	}
	for d := 1; d < b.size; d++ {
		dst := b.mod(root + d)
		b.sendAny(place(dst), dst)
	}
	b.copy(mine, place(root))
	b.wait()
}
