package collectives

// Contributions move up by one rank; then the ranks from 1 on scan them.
//
// Cost: 1 + ceil(log2 (p-1)) steps of n bytes, all but one with a reduction.
func exscanRecursiveDoubling(b *builder) {
	if b.rank+1 < b.size {
		b.send(b.in(), b.rank+1)
	}
	if b.rank == 0 {
		return
	}
	below := b.scratch(b.bytes)
	b.recv(below, b.rank-1)
	b.wait()
	b.inPlace = false // the value is below now, in its own memory
	b.scan(b.accum(below, b.out()), 1)
}
