package collectives

// Every rank gets all contributions and combines its own part of them.
//
// Cost: one step of the network, p times in read, p-1 reductions.
func reduceScatterExchange(b *builder) { exchangeReduceScatter(b, b.inPart) }
