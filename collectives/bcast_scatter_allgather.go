package collectives

// The algorithm of van de Geijn: root's message is scattered in p pieces down a
// binomial tree, and a ring gathers the pieces at every rank.
//
// Cost: ceil(log2 p) + p-1 steps, 2 n (p-1)/p bytes.
func bcastScatterAllgather(b *builder) {
	v := b.mod(b.rank - b.root)
	// The pieces of the ranks from u on, m of them as far as they exist, counted from
	// root.
	pieces := func(u, m int) region {
		lo, _ := b.cut(b.bytes, b.size, u)
		hi, n := b.cut(b.bytes, b.size, min(u+m, b.size)-1)
		return b.out().sub(lo, hi+n-lo)
	}
	parent, children := binomial(v, b.size)
	if v != 0 {
		b.recv(pieces(v, v-parent), b.mod(parent+b.root))
		b.wait()
	}
	for i := range children {
		c := children[len(children)-1-i]
		b.send(pieces(c, c-v), b.mod(c+b.root))
	}
	b.wait()
	for s := range b.size - 1 {
		b.recv(pieces(b.mod(v-s-1), 1), b.mod(b.rank-1))
		b.send(pieces(b.mod(v-s), 1), b.mod(b.rank+1))
		b.wait()
	}
}
