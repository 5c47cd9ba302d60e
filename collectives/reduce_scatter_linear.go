package collectives

// Everyone sends everyone its part and combines what it gets in rank order.
//
// Cost: 1 step, p-1 messages per rank, p-1 reductions.
func reduceScatterLinear(b *builder) { linearReduceScatter(b, b.inPart) }
