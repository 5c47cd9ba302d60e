package collectives

// The algorithm of Bruck: blocks are numbered by the distance they have to go; in step
// d all blocks whose distance has bit d are sent d ranks further together.
//
// Cost: ceil(log2 p) steps of about n p/2 bytes, which are also copied twice.
func alltoallBruck(b *builder) {
	held := b.scratch(b.size * b.bytes)
	block := func(i int) region { return held.sub(i*b.bytes, b.bytes) }
	for i := range b.size {
		b.copy(block(i), region{bufIn, b.mod(b.rank+i) * b.bytes, b.bytes})
	}
	packed, got := b.scratch((b.size+1)/2*b.bytes), b.scratch((b.size+1)/2*b.bytes)
	for d := 1; d < b.size; d <<= 1 {
		n := 0
		for i := d; i < b.size; i++ {
			if i&d != 0 {
				b.copy(packed.sub(n, b.bytes), block(i))
				n += b.bytes
			}
		}
		b.recv(got.sub(0, n), b.mod(b.rank-d))
		b.send(packed.sub(0, n), b.mod(b.rank+d))
		b.wait()
		n = 0
		for i := d; i < b.size; i++ {
			if i&d != 0 {
				b.copy(block(i), got.sub(n, b.bytes))
				n += b.bytes
			}
		}
	}
	for i := range b.size {
		b.copy(b.outBlock(b.mod(b.rank-i)), block(i))
	}
}
