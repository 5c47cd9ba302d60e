package collectives

// In step d every rank sends to the rank d above the part of that rank, and combines
// what it receives from the rank d below.
//
// Cost: p-1 steps, each as long as the largest part, each with a reduction.
func reduceScatterPairwise(b *builder) { pairwiseReduceScatter(b, b.inPart) }
