package collectives

// Partners at distance 1, 2, 4 and so on exchange all blocks they have.
//
// Cost: log2 p steps, n (p-1) bytes.
func allgatherRecursiveDoubling(b *builder) {
	b.copy(b.outBlock(b.rank), b.in())
	blocks := func(first, count int) region { return region{bufOut, first * b.bytes, count * b.bytes} }
	for d := 1; d < b.size; d <<= 1 {
		partner := b.rank ^ d
		b.recv(blocks(partner&^(d-1), d), partner)
		b.send(blocks(b.rank&^(d-1), d), partner)
		b.wait()
	}
}
