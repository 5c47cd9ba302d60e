package collectives

// Every rank sends its block to every rank.
//
// Cost: 1 step, p-1 messages of n bytes per rank.
func allgatherLinear(b *builder) { linearAllgather(b, b.in(), b.outBlock) }

// linearAllgather sends mine to all ranks; place says where each rank's block goes.
func linearAllgather(b *builder, mine region, place func(int) region) {
	for d := 1; d < b.size; d++ {
		b.room(2)
		src := b.mod(b.rank - d)
		b.recv(place(src), src)
		b.send(mine, b.mod(b.rank+d))
	}
	b.copy(place(b.rank), mine)
	b.wait()
}
