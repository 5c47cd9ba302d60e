package wait

// Lull passes n times about 10 ns in which the caller deliberately does not
// look. It is for a few hundred nanoseconds at most, where a PAUSE is too
// coarse.
func Lull(n int) {
	if n > 0 {
		count(n * lullCounts)
	}
}
