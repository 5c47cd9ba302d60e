package collectives

// The message is cut into chunks that travel from root through all ranks one after
// another; each rank forwards one chunk while it receives the next.
//
// Cost: p-2+c steps of n/c bytes for c chunks: close to n for large n.
func bcastChain(b *builder) {
	v := b.mod(b.rank - b.root)
	chunk := max(chainChunk, (b.bytes+chainPieces-1)/chainPieces)
	chunks := (b.bytes + chunk - 1) / chunk
	part := func(i int) region { return b.out().sub(i*chunk, min(chunk, b.bytes-i*chunk)) }
	for i := range chunks + 1 {
		if v > 0 && i < chunks {
			b.recv(part(i), b.mod(b.rank-1))
		}
		if v < b.size-1 && i > 0 {
			b.send(part(i-1), b.mod(b.rank+1))
		}
		b.wait()
	}
}
