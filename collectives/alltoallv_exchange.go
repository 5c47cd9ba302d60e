package collectives

// Every rank shows all its parts to all ranks, which copy those for them. If the parts
// of a rank are too long together, they are announced, and follow as messages.
//
// Cost: one step of the network for short parts, two for others.
func alltoallvExchange(b *builder) {
	of, e := b.partsToSend(), b.envelope()
	shown, short := b.encloseAll(e, of)
	all := b.scratch(b.size * e.n)
	b.exchange(Uneven, shown, all)
	for d := 1; d < b.size; d++ {
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.room(2)
		b.disclose(b.outPart(src), b.addressed(all.sub(src*e.n, e.n)), src)
		if !short {
			b.sendAny(of(dst), dst)
		}
	}
	b.copy(b.outPart(b.rank), of(b.rank))
}
