package collectives

// Partners at distance p/2, p/4 and so on share a range of blocks, and each
// combines the half that its own block is in.
//
// Cost: log2 p steps, n (p-1) bytes, each with a reduction.
func reduceScatterBlockRecursiveHalving(b *builder) {
	all := b.size * b.bytes
	from := region{bufIn, 0, all}
	value, got := b.scratch(all), b.scratch(all)
	lo := 0
	for d := b.size / 2; d > 0; d >>= 1 {
		keep, give := lo, lo+d
		if b.rank&d != 0 {
			keep, give = give, keep
		}
		partner, n := b.rank^d, d*b.bytes
		b.recv(got.sub(keep*b.bytes, n), partner)
		b.send(from.sub(give*b.bytes, n), partner)
		b.wait()
		b.reduce(from.sub(keep*b.bytes, n), got.sub(keep*b.bytes, n))
		from, got, value = got, value, got
		lo = keep
	}
	b.copy(b.out(), from.sub(b.rank*b.bytes, b.bytes))
}
