package collectives

// Root multicasts its buffer, part by part, and all meet after each.
//
// Cost: two steps of the network for each part, n bytes sent once.
func bcastMulticast(b *builder) {
	for off := 0; off < b.bytes; off += b.switchMax {
		part := b.out().sub(off, min(b.switchMax, b.bytes-off))
		if b.rank == b.root {
			b.meet(FromRoot, part, region{})
		} else {
			b.meet(FromRoot, region{}, part)
		}
	}
}
