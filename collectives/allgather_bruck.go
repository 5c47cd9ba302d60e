package collectives

// The algorithm of Bruck: the number of blocks held, starting with the rank's own,
// doubles in each step, for any number of ranks; a rotation puts them in rank order.
//
// Cost: ceil(log2 p) steps, n (p-1) bytes, and p n bytes copied.
func allgatherBruck(b *builder) {
	held := b.scratch(b.size * b.bytes)
	b.copy(held.sub(0, b.bytes), b.in())
	for d := 1; d < b.size; d <<= 1 {
		n := min(d, b.size-d) * b.bytes
		b.recv(held.sub(d*b.bytes, n), b.mod(b.rank+d))
		b.send(held.sub(0, n), b.mod(b.rank-d))
		b.wait()
	}
	b.rotate(region{bufOut, 0, held.n}, held, b.rank)
}
