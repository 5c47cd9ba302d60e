package wait

// Lull is a poll delay: it spends n times about 10 ns in which the caller
// deliberately does not poll. It is for a few hundred nanoseconds at most, where
// a PAUSE is too coarse.
func Lull(n int) {
	if n > 0 {
		count(n * lullCounts)
	}
}
