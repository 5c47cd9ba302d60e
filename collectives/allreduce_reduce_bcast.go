package collectives

// A binomial reduction to rank 0 and a binomial broadcast from it.
//
// Cost: 2 ceil(log2 p) steps of n bytes, half of them with a reduction.
func allreduceReduceBcast(b *builder) {
	value := binomialReduce(b, b.in(), b.out(), 0)
	if b.rank == 0 {
		b.copy(b.out(), value)
	}
	binomialBcast(b, b.out(), 0)
}
