package collectives

// Tuned values, in bytes, for processes on one machine that share its memory
// bandwidth. The table of choices has its own limits, which bench pmb
// --algorithms measures.
const (
	// scratchKept is how much temporary memory a group keeps between blocking calls.
	scratchKept = 8 << 20
	// chainChunk is the least length of a piece on its way through a chain,
	// and chainPieces the largest number of pieces.
	chainChunk  = 64 << 10
	chainPieces = 64
	// linearScratch bounds what a root holds of contributions that it has not combined yet.
	linearScratch = 1 << 20
	// fewRanks is up to how many ranks an exchange of more than exchangeLine bytes of each, which
	// takes as many cache misses as it has lines, beats messages where every rank has a processor.
	fewRanks     = 8
	exchangeLine = 48
)
