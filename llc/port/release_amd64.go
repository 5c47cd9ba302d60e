//go:build !purego && !race

package port

// release stores 0 in word after all stores of the caller. Stores become visible in program order on this
// architecture, and a call that is not inlined keeps them in the compiler's order, so a plain store is
// enough. atomic.StoreUint32(word, 0), for which it stands, also waits until all of them are visible.
//
//go:noinline
func release(word *uint32) { *word = 0 }
