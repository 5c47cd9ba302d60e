package vec

// Copy is copy(dst, src). It is made for memory that two cores write and read in turn, as packets, windows and the buffers of
// neighbors are: see move. Slices that overlap are left to copy.
func Copy(dst, src []byte) int {
	if len(src) < shortestCopy {
		return copy(dst, src)
	}
	return copyLong(dst, src)
}

// copyLong is Copy of what may be long. Copy is so short that the compiler puts it in place of the call, which serves the
// many short copies.
func copyLong(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < shortestCopy || n > longestCopy || !hasAVX2 || overlap(dst, src, n) {
		return copy(dst, src)
	}
	move(&dst[0], &src[0], n)
	return n
}
