package collectives

// Root shows all parts to all ranks and does not wait for them; only root knows the
// counts. If the parts are too long together, they are announced, and follow as
// messages.
//
// Cost: one step of the network for short parts, two for others.
func scattervExchange(b *builder) {
	e, mine := b.envelope(), b.out()
	if b.rank != b.root {
		b.exchange(FromRoot, region{}, e)
		b.disclose(mine, b.addressed(e), b.root)
		return
	}
	mine.n = b.inPart(b.rank).n
	shown, short := b.encloseAll(e, b.inPart)
	b.exchange(FromRoot, shown, region{})
	for d := 1; d < b.size && !short; d++ {
		dst := b.mod(b.root + d)
		b.sendAny(b.inPart(dst), dst)
	}
	b.copy(mine, b.inPart(b.rank))
}
