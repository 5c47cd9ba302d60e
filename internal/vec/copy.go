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

// Past reports whether CopyPast of n bytes pays off where the two processors share no cache.
func Past(n int) bool { return n >= shortestPast }

// usualPast is the shortest length of which Past is true on most processors.
const usualPast = 8 << 10

// CopyBlocks copies count blocks of size bytes, which begin dstep bytes apart in dst and sstep in src. dst and src
// must not overlap, nor two blocks of dst. Both steps are 0 or more; CopyBlocks panics if a block reaches out of
// its slice. Short blocks are copied by one call of a kernel, without which each costs as much as copying 64 bytes;
// those of longBlock bytes or more one by one, as [Copy] does.
func CopyBlocks(dst []byte, dstep int, src []byte, sstep, size, count int) {
	if size <= 0 || count <= 0 {
		return
	}
	if dstep < 0 || sstep < 0 {
		panic(backwards)
	}
	_, _ = dst[(count-1)*dstep+size-1], src[(count-1)*sstep+size-1] // the last bytes
	if size >= shortestBlock && size < longBlock && hasAVX2 {
		moveBlocks(&dst[0], &src[0], dstep, sstep, size, count)
		return
	}
	for d, s := 0, 0; count > 0; count-- {
		Copy(dst[d:d+size], src[s:s+size])
		d, s = d+dstep, s+sstep
	}
}

const longBlock = 4 << 10

const backwards = "vec: blocks whose beginnings go backwards"
