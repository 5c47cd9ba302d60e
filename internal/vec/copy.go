package vec

// Copy is copy(dst, src) of slices that do not overlap. What a packet carries is moved
// with half the instructions that the Go runtime takes, which handles overlap, alignment
// and every length.
func Copy(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < shortestCopy || !hasAVX2 {
		return copy(dst, src)
	}
	move(&dst[0], &src[0], n)
	return n
}
