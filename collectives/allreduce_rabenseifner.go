package collectives

// The algorithm of Rabenseifner: partners at distance 1, 2, 4 and so on halve the
// vector and combine it; then the pieces are collected in the reverse order of steps. A
// group that is no power of two folds first.
//
// Cost: 2 log2 p steps, 2 n (p-1)/p bytes; folding adds 2 steps of n bytes.
func allreduceRabenseifner(b *builder) {
	a := b.accum(b.in(), b.out())
	f := b.folding(0)
	if f.fold(a) {
		h := a.halve(&f)
		out := b.out()
		b.copy(out.sub(h.off, h.n), a.at.sub(h.off, h.n))
		for i := len(h.ranges) - 1; i >= 0; i-- {
			r := h.ranges[i]
			b.recv(out.sub(r.give, r.giveLen), f.old(r.partner))
			b.send(out.sub(r.keep, r.keepLen), f.old(r.partner))
			b.wait()
		}
	}
	f.unfold(b, b.out())
}
