package collectives

// In step d every rank sends to the rank d above and receives from the rank d below.
//
// Cost: p-1 steps, each as long as the largest part in it.
func alltoallvPairwise(b *builder) { alltoallv(b, 2) }
