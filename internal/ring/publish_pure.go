//go:build !amd64 || purego || race

package ring

import "sync/atomic"

// Publish copies src to dst, the sequence last. src must hold a sequence.
func Publish(dst, src *Line) {
	dst[1], dst[2], dst[3], dst[4] = src[1], src[2], src[3], src[4]
	dst[5], dst[6], dst[7] = src[5], src[6], src[7]
	atomic.StoreUint64(&dst[0], src[0])
}

// put writes packet number slot into its line of r, the sequence last, with the
// payload if that has at most Inline bytes, and adds its header words to the sum of r.
func put(r *Ring, slot uint64, head *[3]uint64, payload []byte) {
	dst := r.line(slot)
	if len(payload) <= Inline {
		copy(inline(dst)[:], payload)
	}
	w0, w1 := head[0]&^0xffffffff|uint64(Seq(slot)), head[1]&^0xffffffff|uint64(len(payload))
	dst[2], dst[1] = head[2], w1
	atomic.StoreUint64(&dst[0], w0)
	r.sum += w0 + w1 + head[2]
}

// Prefetch asks for dst with the intent to write it, where the processor can
// be asked; it changes nothing but timing.
func Prefetch(*Line) {}

// claimLines asks for the n lines from line on, to write them, where the processor
// can be asked; it changes nothing but timing.
func claimLines(line *byte, n int) {}

// fetch asks for the n lines from line on, to read them, where the processor
// can be asked; it changes nothing but timing.
func fetch(line *byte, n int) {}

// release aims r at its packet and stores the counters, which only the caller writes,
// each whole, after all that it stored before.
func release(r *Reader, slot, pos uint64) {
	r.aim()
	storeCounters(r.ring.counters, slot, pos)
}

// storeCounters stores two counters that only the caller writes, each whole,
// after all that it stored before.
func storeCounters(dst *Line, slot, pos uint64) {
	atomic.StoreUint64(&dst[0], slot)
	atomic.StoreUint64(&dst[1], pos)
}
