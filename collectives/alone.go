package collectives

// alone serves every operation of a group of one rank: the output is the input.
var alone = row{name: "alone", build: buildAlone}

func buildAlone(b *builder) {
	switch b.kind {
	case Barrier, Bcast, Exscan:
	case Gatherv, Allgatherv:
		out := b.outPart(0)
		b.copy(out, region{bufIn, 0, out.n})
	case Scatterv:
		in := b.inPart(0)
		b.copy(region{bufOut, 0, in.n}, in)
	case Alltoallv:
		if !b.inPlace {
			b.copy(b.outPart(0), b.inPart(0))
		}
	default:
		b.copy(b.out(), b.in())
	}
}
