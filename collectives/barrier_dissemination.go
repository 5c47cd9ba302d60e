package collectives

// In round k every rank signals the rank 2^k above and waits for the rank 2^k below.
//
// Cost: ceil(log2 p) steps, p messages in each.
func barrierDissemination(b *builder) {
	for d := 1; d < b.size; d <<= 1 {
		b.await(b.mod(b.rank - d))
		b.signal(b.mod(b.rank + d))
		b.wait()
	}
}
