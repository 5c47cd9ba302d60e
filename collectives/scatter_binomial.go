package collectives

// Blocks go down a binomial tree rooted at root, the blocks of a subtree in one
// message.
//
// Cost: ceil(log2 p) steps, n (p-1) bytes at root.
func scatterBinomial(b *builder) {
	binomialScatter(b, region{bufIn, 0, b.bytes * b.size}, b.out(), b.root)
}

// binomialScatter scatters the blocks of all, which root has in rank order, to mine of
// every rank.
func binomialScatter(b *builder, all, mine region, root int) {
	v := b.mod(b.rank - root)
	parent, children := binomial(v, b.size)
	if v != 0 && children == nil {
		b.recv(mine, b.mod(parent+root))
		b.wait()
		return
	}
	// held has the blocks of the subtree in the order of distance from root.
	held := all
	switch {
	case v != 0:
		held = b.scratch(subtree(v, b.size) * b.bytes)
		b.recv(held, b.mod(parent+root))
		b.wait()
	case root != 0:
		held = b.scratch(all.n)
		first := (b.size - root) * b.bytes
		b.copy(held.sub(0, first), all.sub(root*b.bytes, first))
		b.copy(held.sub(first, root*b.bytes), all.sub(0, root*b.bytes))
	}
	for i := range children {
		c := children[len(children)-1-i]
		b.send(held.sub((c-v)*b.bytes, subtree(c, b.size)*b.bytes), b.mod(c+root))
	}
	b.copy(mine, held.sub(0, b.bytes))
	b.wait()
}
