package collectives

// The vector is cut into p pieces. Each piece goes around the ring once to be combined,
// and once more to be distributed.
//
// Cost: 2(p-1) steps, 2 n (p-1)/p bytes, n (p-1)/p reductions.
func allreduceRing(b *builder) {
	next, prev := b.mod(b.rank+1), b.mod(b.rank-1)
	in, out := b.in(), b.out()
	var spare region
	if b.inPlace {
		in = out
		_, n := b.cut(b.bytes, b.size, b.size-1) // no piece is longer than the last
		spare = b.scratch(n)
	}
	from := in // sent in the first step; later steps send what was combined
	for s := range b.size - 1 {
		piece := b.mod(b.rank - s - 1)
		mine, into := b.piece(in, piece), b.piece(out, piece)
		got := into
		if b.inPlace {
			got = spare.sub(0, into.n)
		}
		b.recv(got, prev)
		b.send(b.piece(from, b.mod(b.rank-s)), next)
		b.wait()
		if b.inPlace {
			b.reduce(got, into)
		} else {
			b.reduce(mine, into)
		}
		from = out
	}
	for s := range b.size - 1 {
		b.recv(b.piece(out, b.mod(b.rank-s)), prev)
		b.send(b.piece(out, b.mod(b.rank-s+1)), next)
		b.wait()
	}
}
