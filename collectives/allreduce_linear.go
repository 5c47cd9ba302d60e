package collectives

// Rank 0 combines the contributions of all ranks and sends the result to every rank.
//
// Cost: 2 dependent steps for short messages, 2(p-1) n bytes at rank 0. With
// more ranks than processors this has the fewest context switches.
func allreduceLinear(b *builder) {
	linearReduce(b, b.in(), b.out(), 0)
	linearBcast(b, b.out(), 0)
}
