package collectives

// Root sends everyone its part, empty ones as well: see gathervLinear.
//
// Cost: 1 step, all bytes at root.
func scattervLinear(b *builder) {
	mine := b.out()
	if b.rank == b.root {
		mine.n = b.inPart(b.rank).n
	}
	linearScatter(b, mine, b.root, b.inPart)
}
