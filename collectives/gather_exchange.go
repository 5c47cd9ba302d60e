package collectives

// Every rank shows its block to root, and does not wait for it.
//
// Cost: one step of the network, p n bytes read by root.
func gatherExchange(b *builder) {
	if b.rank == b.root {
		b.exchange(ToRoot, b.in(), region{bufOut, 0, b.size * b.bytes})
	} else {
		b.exchange(ToRoot, b.in(), region{})
	}
}
