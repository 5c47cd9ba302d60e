package collectives

// Every rank sends to root.
//
// Cost: 1 step, (p-1) n bytes at root.
func gatherLinear(b *builder) { linearGather(b, b.in(), b.root, b.outBlock) }

// linearGather gathers mine of each rank at root, where place says where each goes.
func linearGather(b *builder, mine region, root int, place func(int) region) {
	if b.rank != root {
		b.sendAny(mine, root)
		b.wait()
		return
	}
	b.copy(place(root), mine)
	for d := 1; d < b.size; d++ {
		src := b.mod(root + d)
		b.recvAny(place(src), src)
	}
	b.wait()
}
