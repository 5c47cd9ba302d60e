package collectives

// Partners at distance 1, 2, 4 and so on exchange whole values and combine
// them. A group that is no power of two folds first.
//
// Cost: log2 p steps of n bytes, each with a reduction; folding adds 2 steps.
func allreduceRecursiveDoubling(b *builder) {
	a := b.accum(b.in(), b.out())
	f := b.folding(0)
	if f.fold(a) {
		for d := 1; d < f.pof2; d <<= 1 {
			partner := f.old(f.rank ^ d)
			b.recv(a.spare(), partner)
			b.send(a.at, partner)
			b.wait()
			if f.rank&d == 0 {
				a.foldHigher(0, b.bytes)
			} else {
				a.foldLower(0, b.bytes)
			}
		}
		b.copy(b.out(), a.at)
	}
	f.unfold(b, b.out())
}
