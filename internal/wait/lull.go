package wait

// Lull passes n PAUSE instructions, some tens of nanoseconds each, in which the
// caller deliberately does not look.
func Lull(n int) {
	for range n {
		relax()
	}
}
