package collectives

// Values go up a tree of the depth of the binomial one and are combined on the way. The
// tree is rooted at root if the operation commutes; otherwise at rank 0, which keeps
// rank order and takes one more step to root.
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

// binomialReduce combines towards rank top and returns where the value is, which is
// valid only there.
func binomialReduce(b *builder, in, home region, top int) region {
	v := b.mod(b.rank - top)
	parent, children := innerTree(v, b.size)
	a := b.accum(in, home)
	for _, c := range children {
		b.recv(a.spare(), b.mod(c+top))
		b.wait()
		if c > v || b.commutative {
			a.foldHigher(0, in.n)
		} else {
			a.foldLower(0, in.n)
		}
	}
	if b.rank != top {
		b.send(a.at, b.mod(parent+top))
		b.wait()
	}
	return a.at
}

// innerTree returns the place of v in a tree over 0 to n-1 that is as deep as the
// binomial one. Subtrees are also ranges of the same lengths, but the root of each is
// at the end that is farther from its neighbor:
//
//	0---1   2---3   4---5   6---7
//	0-----------3   4-----------7
//	0---------------------------7
//
// In the binomial tree all ranks with children are even, and combine while the odd ones
// are idle: where ranks are assigned to processors in turn, half of the processors would
// be idle.
func innerTree(v, n int) (parent int, children []int) {
	for level, i := 0, v; 1<<level < n; level, i = level+1, i/2 {
		if (i^1)<<level >= n {
			continue
		}
		other := rootOf(i^1, level, n)
		if rootOf(i/2, level+1, n) != v {
			return other, children
		}
		children = append(children, other)
	}
	return 0, children
}

// rootOf returns the root of the i-th subtree of 1<<level ranks, of which those below n
// exist.
func rootOf(i, level, n int) int {
	for right := i%2 == 1; level > 0; level-- {
		i *= 2
		if right = right && (i+1)<<(level-1) < n; right {
			i++
		}
	}
	return i
}
