package collectives

// Reports travel up a binomial tree to rank 0, and releases down it.
//
// Cost: 2 ceil(log2 p) steps, 2(p-1) messages in all.
func barrierTree(b *builder) {
	parent, children := binomial(b.rank, b.size)
	for _, c := range children {
		b.await(c)
	}
	b.wait()
	if b.rank != 0 {
		b.signal(parent)
		b.wait()
		b.await(parent)
		b.wait()
	}
	for i := range children {
		b.signal(children[len(children)-1-i])
	}
}

// binomial returns the place of rank v in the binomial tree of n ranks rooted at 0: its
// parent, and its children from the smallest subtree to the largest. The subtree of v's
// child v+m has the ranks v+m to v+2m-1, as far as they exist.
func binomial(v, n int) (parent int, children []int) {
	m := 1
	for ; m < n && v&m == 0; m <<= 1 {
		if v+m < n {
			children = append(children, v+m)
		}
	}
	return v &^ m, children
}
