//go:build !amd64 || purego || race

package port

import "sync/atomic"

// release stores 0 in word after all stores of the caller.
func release(word *uint32) { atomic.StoreUint32(word, 0) }
