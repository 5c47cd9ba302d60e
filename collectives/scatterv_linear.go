package collectives

// Root sends each rank its part, also if it is empty: see gathervLinear.
//
// Cost: 1 step, all bytes at root.
func scattervLinear(b *builder) {
	mine := b.out()
	if b.rank == b.root {
		mine.n = b.inPart(b.rank).n
	}
	linearScatter(b, mine, b.root, b.inPart)
}
