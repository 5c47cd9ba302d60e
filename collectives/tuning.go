package collectives

// Tuned values, in bytes, for processes on one machine that share its memory bandwidth.
// The table of choices has its own limits, which bench pmb --algorithms measures.
const (
	// scratchKept is how much temporary memory a group keeps between blocking calls.
	scratchKept = 8 << 20
	// chainChunk is the least length of a piece in a chain, and chainPieces the largest
	// number of pieces.
	chainChunk  = 64 << 10
	chainPieces = 64
	// linearScratch limits the contributions that a root holds and has not combined
	// yet.
	linearScratch = 1 << 20
	// fewRanks is the number of ranks up to which an exchange of more than exchangeLine
	// bytes each, which takes one cache miss per line, is faster than messages where
	// every rank has a processor.
	fewRanks     = 8
	exchangeLine = 48
	// manyRanks is the number of ranks that share processors from which on messages of
	// all to all take longer than the steps that fewer messages need: each rank would
	// have a channel to every other one.
	manyRanks = 65
)
