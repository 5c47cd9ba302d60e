package collectives

// Every rank sends to all higher ranks and combines what it receives in rank order.
//
// Cost: 1 step, up to p-1 messages of n bytes per rank.
func scanLinear(b *builder) {
	of := b.fromBelow()
	b.foldInOrder(b.out(), 0, b.rank+1, of)
}

// fromBelow sends in to all higher ranks and returns where the contributions of this
// rank and the lower ones are.
func (b *builder) fromBelow() func(int) region {
	in := b.in()
	got := b.scratch(b.rank * b.bytes)
	of := func(i int) region {
		if i == b.rank {
			return in
		}
		return got.sub(i*b.bytes, b.bytes)
	}
	for d := 1; d < b.size; d++ {
		b.room(2)
		if b.rank >= d {
			b.recv(of(b.rank-d), b.rank-d)
		}
		if b.rank+d < b.size {
			b.send(in, b.rank+d)
		}
	}
	b.wait()
	return of
}
