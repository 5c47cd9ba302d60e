//go:build amd64 && !purego && !race

package vec

import "testing"

// What does not stay in the third-level cache beside other buffers is left to Go's copy.
func TestLongestCopy(t *testing.T) {
	const mib = 1 << 20
	for cache, want := range map[int]int{-1: 16 * mib, 0: 16 * mib, 8 * mib: 4 * mib, 32 * mib: 4 * mib, 64 * mib: 8 * mib, 480 * mib: 16 * mib} {
		if got := longest(cache); got != want {
			t.Errorf("%d MiB for a cache of %d MiB, want %d", got/mib, cache/mib, want/mib)
		}
	}
	src := make([]byte, longestCopy+4096)
	for i := range src {
		src[i] = byte(i * 7 >> 3)
	}
	for _, n := range []int{longestCopy, longestCopy + 1, len(src)} {
		dst := make([]byte, n)
		if got := Copy(dst, src); got != n || string(dst) != string(src[:n]) {
			t.Errorf("a copy of %d bytes returns %d, or has other bytes", n, got)
		}
	}
}
