package collectives

// Values go up a binomial tree and are combined on the way. The tree is
// rooted at root if the operation commutes; otherwise at rank 0, which keeps
// rank order and costs one more step to root.
//
// Cost: ceil(log2 p) steps of n bytes, each with a reduction.
func reduceBinomial(b *builder) {
	home := b.out()
	if b.rank != b.root {
		home = b.scratch(b.bytes)
	}
	top := b.root
	if !b.commutative {
		top = 0
	}
	value := binomialReduce(b, b.in(), home, top)
	switch {
	case b.rank == b.root && top == b.root:
		b.copy(b.out(), value)
	case b.rank == b.root:
		b.recv(b.out(), top)
	case b.rank == top && top != b.root:
		b.send(value, b.root)
	}
}

// binomialReduce combines towards rank top and returns where the value is, which counts there only.
func binomialReduce(b *builder, in, home region, top int) region {
	parent, children := binomial(b.mod(b.rank-top), b.size)
	a := b.accum(in, home)
	for _, c := range children {
		b.recv(a.spare(), b.mod(c+top))
		b.wait()
		a.foldHigher(0, in.n)
	}
	if b.rank != top {
		b.send(a.at, b.mod(parent+top))
		b.wait()
	}
	return a.at
}
