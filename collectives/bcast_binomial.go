package collectives

// The message goes down a binomial tree rooted at root, to large subtrees first.
//
// Cost: ceil(log2 p) steps of n bytes.
func bcastBinomial(b *builder) { binomialBcast(b, b.out(), b.root) }

func binomialBcast(b *builder, buf region, root int) {
	parent, children := binomial(b.mod(b.rank-root), b.size)
	if b.rank != root {
		b.recv(buf, b.mod(parent+root))
		b.wait()
	}
	for i := range children {
		b.send(buf, b.mod(children[len(children)-1-i]+root))
	}
	b.wait()
}
