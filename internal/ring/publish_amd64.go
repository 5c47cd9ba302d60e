//go:build amd64 && !purego && !race

package ring

// Publish copies src to dst, the sequence last. src must hold a sequence.
//
// It stands for: dst[7] = src[7]; ... dst[1] = src[1]; atomic.StoreUint64(&dst[0], src[0]). Stores become
// visible in program order on this architecture, so plain stores suffice, and a few wide ones in a row
// leave a polling reader the least time to take the line away half written.
//
//go:noescape
func Publish(dst, src *Line)

// Prefetch prefetches dst for write. It never faults and has no effect but on timing.
//
//go:noescape
func Prefetch(dst *Line)

// prefetchLines prefetches the n lines from line on for write. It has no effect but on timing.
//
//go:noescape
func prefetchLines(line *byte, n int)

// fetch prefetches the n lines from line on for read. It has no effect but on timing.
//
//go:noescape
func fetch(line *byte, n int)

// glance looks up to that many times whether line has the sequence want, and reports whether it has. After
// each look it prefetches the line of along for read.
//
// It stands for what glance in publish_pure.go does, and the processor runs several looks ahead of one whose
// line has been taken away.
//
//go:noescape
func glance(line *Line, want uint32, looks int, along *byte) (there bool)

// put writes packet number slot into its line of r, the sequence last, with the payload if it has at most
// Short bytes, adds its header words to the sum of r, and prefetches the next line.
//
// It stands for what put in publish_pure.go does.
//
//go:noescape
func put(r *Ring, slot uint64, head *[3]uint64, payload []byte)

// line puts packet number slot with the header words w0, w1 and w2 into the ring of o and counts it, if the
// words of Open have their values. Otherwise it returns false.
//
// It stands for what line in publish_pure.go does.
//
//go:noescape
func line(o *Outlet, slot, w0, w1, w2 uint64, payload []byte) bool

// storeCounters stores two counters that only the caller writes, each in one store, after all earlier
// stores of the caller.
//
// It stands for: atomic.StoreUint64(&dst[0], slot); atomic.StoreUint64(&dst[1], pos).
//
//go:noescape
func storeCounters(dst *Line, slot, pos uint64)

// release moves r on to its next packet and stores its slot and position in the counters, which only the
// caller writes, each in one store, after all earlier stores. It prefetches a line further on if many
// packets in a row were waiting.
//
// It stands for what release in publish_pure.go does.
//
//go:noescape
func release(r *Reader)

// next frees the space of r's packet, which has n bytes of payload, at most Short, and header words with the
// given sum, and then does what release does.
//
// It stands for what next in publish_pure.go does.
//
//go:noescape
func next(r *Reader, n, sum uint64)
