package collectives

// Every rank sends each rank its part and combines what it receives in rank order.
//
// Cost: 1 step, p-1 messages per rank, p-1 reductions.
func reduceScatterLinear(b *builder) { linearReduceScatter(b, b.inPart) }
