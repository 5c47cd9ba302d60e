package collectives

// Blocks go around the ring.
//
// Cost: p-1 steps of n bytes, to the neighbor only.
func allgatherRing(b *builder) { ringAllgather(b, b.in(), b.outBlock) }

// ringAllgather is linearAllgather around the ring.
func ringAllgather(b *builder, mine region, place func(int) region) {
	b.copy(place(b.rank), mine)
	for s := range b.size - 1 {
		b.recv(place(b.mod(b.rank-s-1)), b.mod(b.rank-1))
		b.send(place(b.mod(b.rank-s)), b.mod(b.rank+1))
		b.wait()
	}
}
