package collectives

// Every rank sends to root; only root knows the counts. Empty parts are sent, too, so
// that a wrong count at root is an error and not a hang.
//
// Cost: 1 step, all bytes at root.
func gathervLinear(b *builder) {
	mine := b.in()
	if b.rank == b.root {
		mine.n = b.outPart(b.rank).n
	}
	linearGather(b, mine, b.root, b.outPart)
}
