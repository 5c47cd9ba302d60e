package collectives

// Every rank reports to rank 0, which releases every rank.
//
// Cost: 2 dependent steps, 2(p-1) messages at rank 0. With more ranks than
// processors this has the fewest context switches.
func barrierLinear(b *builder) {
	if b.rank != 0 {
		b.signal(0)
		b.wait()
		b.await(0)
		return
	}
	for i := 1; i < b.size; i++ {
		b.await(i)
	}
	b.wait()
	for i := 1; i < b.size; i++ {
		b.signal(i)
	}
}
