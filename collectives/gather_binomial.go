package collectives

// Blocks go up a binomial tree rooted at root; every rank sends the blocks of its
// subtree in one message.
//
// Cost: ceil(log2 p) steps, n (p-1) bytes at root.
func gatherBinomial(b *builder) {
	v := b.mod(b.rank - b.root)
	parent, children := binomial(v, b.size)
	if v != 0 && children == nil {
		b.send(b.in(), b.mod(parent+b.root))
		return
	}
	// held has the blocks of the subtree in the order of distance from root.
	held := region{bufOut, 0, subtree(v, b.size) * b.bytes}
	if b.rank != 0 || b.root != 0 {
		held = b.scratch(held.n)
	}
	b.copy(held.sub(0, b.bytes), b.in())
	for _, c := range children {
		b.recv(held.sub((c-v)*b.bytes, subtree(c, b.size)*b.bytes), b.mod(c+b.root))
	}
	b.wait()
	if v != 0 {
		b.send(held, b.mod(parent+b.root))
	} else if b.root != 0 {
		b.rotate(region{bufOut, 0, held.n}, held, b.root)
	}
}

// subtree returns the number of ranks in the subtree of v in the binomial tree of n.
func subtree(v, n int) int {
	if v == 0 {
		return n
	}
	return min(v&-v, n-v)
}

// rotate copies blocks in the order of distance from a rank to rank order.
func (b *builder) rotate(ranked, distant region, from int) {
	first := (b.size - from) * b.bytes // bytes of the ranks from that one on
	b.copy(ranked.sub(from*b.bytes, first), distant.sub(0, first))
	b.copy(ranked.sub(0, from*b.bytes), distant.sub(first, from*b.bytes))
}
