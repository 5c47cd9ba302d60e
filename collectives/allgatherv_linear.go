package collectives

// Every rank sends its part to every rank.
//
// Cost: 1 step, p-1 messages per rank.
func allgathervLinear(b *builder) { linearAllgather(b, b.ownPart(), b.outPart) }

// ownPart is this rank's input to Allgatherv.
func (b *builder) ownPart() region { return region{bufIn, 0, b.outPart(b.rank).n} }
