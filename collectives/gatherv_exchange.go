package collectives

// Every rank shows its part to root, and does not wait for it; only root knows the
// counts. A part that is too long is announced, and follows as a message.
//
// Cost: one step of the network for short parts, two for others.
func gathervExchange(b *builder) {
	if b.rank != b.root {
		e := b.envelope()
		shown, short := b.enclose(e, b.in())
		b.exchange(ToRoot, shown, region{})
		if !short {
			b.send(b.in(), b.root)
		}
		return
	}
	n := b.envelopeBytes()
	all := b.scratch(b.size * n)
	b.exchange(ToRoot, all.sub(b.rank*n, n), all)
	for d := 1; d < b.size; d++ {
		src := b.mod(b.root + d)
		b.disclose(b.outPart(src), all.sub(src*n, n), src)
	}
	mine := b.in()
	mine.n = b.outPart(b.rank).n
	b.copy(b.outPart(b.rank), mine)
}
