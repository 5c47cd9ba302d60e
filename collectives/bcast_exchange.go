package collectives

// Root shows its buffer to all, and does not wait for them.
//
// Cost: one step of the network, n bytes read.
func bcastExchange(b *builder) {
	if b.rank == b.root {
		b.exchange(FromRoot, b.out(), region{})
	} else {
		b.exchange(FromRoot, region{}, b.out())
	}
}
