package collectives

// In step d everyone sends to the rank d above and receives from the one d below.
//
// Cost: p-1 steps, each as long as the largest part in it.
func alltoallvPairwise(b *builder) { alltoallv(b, 2) }
