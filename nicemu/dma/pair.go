package dma

import "sync/atomic"

// Pair reads two counters of one queue that others advance: first, and second as it was while first had
// this value. Read one after the other they may not belong together: what was between them may have come
// and gone meanwhile, so that the one behind seems to be ahead.
func Pair(first, second *uint64) (f, s uint64) {
	for {
		f, s = atomic.LoadUint64(first), atomic.LoadUint64(second)
		if atomic.LoadUint64(first) == f {
			return f, s
		}
	}
}
