package collectives

// Parts go around the ring.
//
// Cost: p-1 steps, each as long as the largest part in it.
func allgathervRing(b *builder) { ringAllgather(b, b.ownPart(), b.outPart) }
