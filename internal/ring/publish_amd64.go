//go:build amd64 && !purego && !race

package ring

// Publish copies src to dst, the sequence last. src must hold a sequence.
//
// It stands for: dst[7] = src[7]; ... dst[1] = src[1]; atomic.StoreUint64(&dst[0], src[0]).
// Stores become visible in program order on this architecture, so plain ones
// will do, and a few wide ones in a row leave the least time for a polling
// reader to take the line away half written.
//
//go:noescape
func Publish(dst, src *Line)

// Prefetch asks for dst with the intent to write it. It never faults and
// changes nothing but timing.
//
//go:noescape
func Prefetch(dst *Line)

// claimLines asks for the n lines from line on, to write them. It changes nothing but
// timing.
//
//go:noescape
func claimLines(line *byte, n int)

// fetch asks for the n lines from line on, to read them. It changes nothing but
// timing.
//
//go:noescape
func fetch(line *byte, n int)

// put writes packet number slot into its line of r, the sequence last, with the
// payload if that has at most Inline bytes, adds its header words to the sum of r, and
// claims the next line.
//
// It stands for what put in publish_pure.go does.
//
//go:noescape
func put(r *Ring, slot uint64, head *[3]uint64, payload []byte)

// line has put write packet number slot of o, with the header words w0, w1 and w2, if the words by which
// the way was found are what they were, and counts it. Else it reports false.
//
// It stands for what line in publish_pure.go does.
//
//go:noescape
func line(o *Outlet, slot, w0, w1, w2 uint64, payload []byte) bool

// storeCounters stores two counters that only the caller writes, each whole,
// after all that it stored before.
//
// It stands for: atomic.StoreUint64(&dst[0], slot); atomic.StoreUint64(&dst[1], pos).
//
//go:noescape
func storeCounters(dst *Line, slot, pos uint64)

// release aims r at its packet and stores its slot and its position in the counters, which only the caller writes,
// each whole, after all that it stored before. It asks for a line further on, if many
// packets have been waiting.
//
// It stands for what release in publish_pure.go does.
//
//go:noescape
func release(r *Reader)

// next frees the space of r's packet, which has a payload of n bytes in its line, and header words with a sum, and
// does what release does.
//
// It stands for what next in publish_pure.go does.
//
//go:noescape
func next(r *Reader, n, sum uint64)
