package collectives

// Everyone sends to root, which alone knows the counts. Empty parts are sent
// as well, so that a count that is wrong at root is an error and not a hang.
//
// Cost: 1 step, all bytes at root.
func gathervLinear(b *builder) {
	mine := b.in()
	if b.rank == b.root {
		mine.n = b.outPart(b.rank).n
	}
	linearGather(b, mine, b.root, b.outPart)
}
