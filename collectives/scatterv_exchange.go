package collectives

// Root, which alone knows the counts, shows all parts to all and does not wait for
// them. Parts that are too long together are announced, and follow as messages.
//
// Cost: one step of the network for short parts, two for others.
func scattervExchange(b *builder) {
	e, mine := b.envelope(), b.out()
	if b.rank != b.root {
		b.exchange(FromRoot, region{}, e)
		at := b.rank * descriptor
		b.disclose(mine, e.sub(at, e.n-at), b.root)
		return
	}
	mine.n = b.inPart(b.rank).n
	total := b.size * descriptor
	for i := range b.size {
		total += b.inPart(i).n
	}
	short := total <= e.n
	end := b.size * descriptor
	for i := range b.size {
		part := b.inPart(i)
		if !short {
			b.describe(e, i*descriptor, i*descriptor, byMessage)
			continue
		}
		b.describe(e, i*descriptor, end, part.n)
		b.copy(e.sub(end, part.n), part)
		end += part.n
	}
	b.exchange(FromRoot, e, region{})
	for d := 1; d < b.size && !short; d++ {
		dst := b.mod(b.root + d)
		b.sendAny(b.inPart(dst), dst)
	}
	b.copy(mine, b.inPart(b.rank))
}
