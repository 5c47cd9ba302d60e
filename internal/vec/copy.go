package vec

// Copy is copy(dst, src). It is made for memory that two cores write and read in turn, as packets, windows and the buffers of
// neighbors are: see move. Slices that overlap are left to copy.
func Copy(dst, src []byte) int {
	if len(src) < shortestCopy {
		return copy(dst, src)
	}
	return copyLong(dst, src)
}

// copyLong is Copy, which the compiler inlines: most copies are short.
func copyLong(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < shortestCopy || n > longestCopy || !hasAVX2 || overlap(dst, src, n) {
		return copy(dst, src)
	}
	move(&dst[0], &src[0], n)
	return n
}
