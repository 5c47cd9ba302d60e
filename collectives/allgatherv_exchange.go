package collectives

// Every contribution is as long as the largest part; bytes beyond a rank's own part are
// ignored.
//
// Cost: one step of the network, p times the largest part read.
func allgathervExchange(b *builder) {
	given := b.scratch(b.bytes)
	mine := b.ownPart()
	b.copy(given.sub(0, mine.n), mine)
	of := b.exchanged(given)
	for i := range b.size {
		part := b.outPart(i)
		b.copy(part, of(i).sub(0, part.n))
	}
}
