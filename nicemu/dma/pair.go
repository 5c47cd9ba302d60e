package dma

import "sync/atomic"

// Pair reads two counters of one queue that others advance, and returns a consistent pair: second
// as it was while first had the returned value. Two plain loads may be inconsistent: entries may
// come and go between them, so that the counter that is behind seems to be ahead.
func Pair(first, second *uint64) (f, s uint64) {
	for {
		f, s = atomic.LoadUint64(first), atomic.LoadUint64(second)
		if atomic.LoadUint64(first) == f {
			return f, s
		}
	}
}
