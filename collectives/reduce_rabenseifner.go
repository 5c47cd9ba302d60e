package collectives

// The algorithm of Rabenseifner: partners at distance 1, 2, 4 and so on halve the
// vector and combine it; then the pieces are gathered at root in the reverse order of
// steps. A group that is no power of two folds first.
//
// Cost: 2 log2 p steps, 2 n (p-1)/p bytes; folding adds a step of n bytes.
func reduceRabenseifner(b *builder) {
	home := b.out()
	if b.rank != b.root {
		home = b.scratch(b.bytes)
	}
	a := b.accum(b.in(), home)
	f := b.folding(b.root)
	if !f.fold(a) {
		return
	}
	h := a.halve(&f)
	root := b.root - f.rem // new number of root
	if b.root < 2*f.rem {
		root = b.root / 2
	}
	held := home
	b.copy(held.sub(h.off, h.n), a.at.sub(h.off, h.n))
	for i := len(h.ranges) - 1; i >= 0; i-- {
		r := h.ranges[i]
		if f.rank&r.distance != root&r.distance {
			b.send(held.sub(r.keep, r.keepLen), f.old(r.partner))
			b.wait()
			return
		}
		b.recv(held.sub(r.give, r.giveLen), f.old(r.partner))
		b.wait()
	}
}
