package collectives

// Partners at distance p/2, p/4 and so on share a range of blocks, and each
// combines the half that its own block is in.
//
// Cost: log2 p steps, n (p-1) bytes, each with a reduction.
func reduceScatterBlockRecursiveHalving(b *builder) { halvingReduceScatter(b, b.inBlock) }

// halvingReduceScatter is reduceScatterBlockRecursiveHalving for any adjacent parts of
// in.
func halvingReduceScatter(b *builder, part func(int) region) {
	last := part(b.size - 1)
	all := last.off + last.n
	from := region{bufIn, 0, all}
	value, got := b.scratch(all), b.scratch(all)
	lo := 0
	for d := b.size / 2; d > 0; d >>= 1 {
		keep, give := lo, lo+d
		if b.rank&d != 0 {
			keep, give = give, keep
		}
		// parts returns the d parts from first on, as they are in r
		parts := func(r region, first int) region {
			begin, end := part(first), part(first+d-1)
			return r.sub(begin.off, end.off+end.n-begin.off)
		}
		partner := b.rank ^ d
		b.recv(parts(got, keep), partner)
		b.send(parts(from, give), partner)
		b.wait()
		b.reduce(parts(from, keep), parts(got, keep))
		from, got, value = got, value, got
		lo = keep
	}
	mine := part(b.rank)
	b.copy(region{bufOut, 0, mine.n}, from.sub(mine.off, mine.n))
}
