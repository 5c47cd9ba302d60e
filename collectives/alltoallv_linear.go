package collectives

// Every rank sends to every rank, nearest distances first. Empty parts are not sent.
//
// Cost: 1 step, p-1 messages per rank.
func alltoallvLinear(b *builder) { alltoallv(b, b.width) }

// alltoallv has at most open transfers in progress at once.
func alltoallv(b *builder, open int) {
	of := b.partsToSend()
	b.width = min(b.width, open)
	for d := 1; d < b.size; d++ {
		b.room(2)
		src, dst := b.mod(b.rank-d), b.mod(b.rank+d)
		b.recv(b.outPart(src), src)
		b.send(of(dst), dst)
	}
	b.copy(b.outPart(b.rank), of(b.rank))
	b.wait()
}

// partsToSend is toSend for parts with counts.
func (b *builder) partsToSend() func(int) region {
	if !b.inPlace {
		return b.inPart
	}
	parts := make([]region, b.size)
	for i := range parts {
		parts[i] = b.scratch(b.outPart(i).n)
		b.copy(parts[i], b.outPart(i))
	}
	return func(i int) region { return parts[i] }
}
