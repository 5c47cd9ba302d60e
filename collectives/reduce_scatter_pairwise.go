package collectives

// In step d everyone sends the rank d above its part and combines what comes
// from the one d below.
//
// Cost: p-1 steps, each as long as the largest part, each with a reduction.
func reduceScatterPairwise(b *builder) { pairwiseReduceScatter(b, b.inPart) }
