package wait

// Together gives consecutive ranks of a job of size ranks the same processor. Programs exchange most
// messages with the next ranks: what one of them has written is then in the cache from which the other reads
// it, and no line crosses between processors.
func Together(rank, size int) func(n int) int {
	return func(n int) int { return rank * n / size }
}

// InTurn gives one rank after the other the next processor. It is for jobs on several hosts, where a rank
// does not know how many of the others are on its host.
func InTurn(rank int) func(n int) int {
	return func(n int) int { return rank % n }
}
