package vec

import "encoding/binary"

// Copy is copy(dst, src), made for memory that two cores write and read in turn, such as packets, windows
// and the buffers of neighbors: see move. Overlapping slices are left to copy.
func Copy(dst, src []byte) int {
	if len(src) < shortestCopy {
		return copy(dst, src)
	}
	return copyLong(dst, src)
}

// Fill copies src to the beginning of dst, which is at least as long. Most often it is one word, for which a call
// takes longer than the copy.
func Fill(dst, src []byte) {
	if len(src) == 8 {
		binary.NativeEndian.PutUint64(dst, binary.NativeEndian.Uint64(src))
	} else {
		Copy(dst, src)
	}
}

// ByLines reports whether Copy writes n bytes by whole lines that the processor need not fetch before, so that it
// does not pay to prefetch them for write.
func ByLines(n int) bool { return n >= shortestLines && stringsOfLines }

// copyLong is Copy for slices that may be long. It is separate so that Copy can be inlined, which serves
// the many short copies.
func copyLong(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < shortestCopy || n > longestCopy || !hasAVX2 || overlap(dst, src, n) {
		return copy(dst, src)
	}
	if ByLines(n) {
		moveLines(&dst[0], &src[0], n)
	} else {
		move(&dst[0], &src[0], n)
	}
	return n
}

// CopyPast is [Copy] of data that another core reads next, past the caches, where the processor can: it then does
// not wait for the lines of dst, which that core may have. What is stored after CopyPast is visible after the
// copy.
func CopyPast(dst, src []byte) int {
	n := min(len(dst), len(src))
	if n < shortestCopy || !hasAVX2 || overlap(dst, src, n) {
		return copy(dst, src)
	}
	movePast(&dst[0], &src[0], n)
	return n
}
