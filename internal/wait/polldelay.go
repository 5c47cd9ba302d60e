package wait

// PollDelay is a poll delay: it spends n times about 10 ns during which the caller deliberately does not
// poll. It is for a few hundred nanoseconds at most, where PAUSE is too coarse.
func PollDelay(n int) {
	if n > 0 {
		count(n * delayCounts)
	}
}
