package collectives

// Partners at distance p/2, p/4 and so on share a range of parts, and each
// combines the half that its own part is in.
//
// Cost: log2 p steps, each with a reduction; in is sent over the network once.
func reduceScatterRecursiveHalving(b *builder) { halvingReduceScatter(b, b.inPart) }
