package collectives

// In step d every rank sends its value, which covers the d ranks up to its own, to the
// rank d above and combines what it receives from the rank d below.
//
// Cost: ceil(log2 p) steps of n bytes, each with a reduction.
func scanRecursiveDoubling(b *builder) {
	b.scan(b.accum(b.in(), b.out()), 0)
}

// scan runs among the ranks from first on; a is this rank's value.
func (b *builder) scan(a *accum, first int) {
	for d := 1; d < b.size-first; d <<= 1 {
		below := b.rank-d >= first
		if below {
			b.recv(a.spare(), b.rank-d)
		}
		if b.rank+d < b.size {
			b.send(a.at, b.rank+d)
		}
		b.wait()
		if below {
			a.foldLower(0, b.bytes)
		}
	}
	b.copy(b.out(), a.at)
}
