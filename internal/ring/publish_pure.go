//go:build !amd64 || purego || race

package ring

import "sync/atomic"

// Publish copies src to dst, the sequence last. src must hold a sequence.
func Publish(dst, src *Line) {
	dst[1], dst[2], dst[3], dst[4] = src[1], src[2], src[3], src[4]
	dst[5], dst[6], dst[7] = src[5], src[6], src[7]
	atomic.StoreUint64(&dst[0], src[0])
}

// put writes packet number slot into its line of r, the sequence last, with the payload if it has at most
// Short bytes, and adds its header words to the sum of r.
func put(r *Ring, slot uint64, head *[3]uint64, payload []byte) {
	dst := r.line(slot)
	if len(payload) <= Short {
		copy(short(dst)[:], payload)
	}
	w0, w1 := head[0]&^0xffffffff|uint64(Seq(slot)), head[1]&^0xffffffff|uint64(len(payload))
	dst[2], dst[1] = head[2], w1
	atomic.StoreUint64(&dst[0], w0)
	r.sum += w0 + w1 + head[2]
}

// line puts packet number slot with the header words w0, w1 and w2 into the ring of o and counts it, if the
// words of Open have their values. Otherwise it returns false.
func line(o *Outlet, slot, w0, w1, w2 uint64, payload []byte) bool {
	for i, word := range o.words {
		if atomic.LoadUint64(word) != o.were[i] {
			return false
		}
	}
	*o.count++
	put(o.ring, slot, &[3]uint64{w0, w1, w2}, payload)
	o.slot = slot + 1
	return true
}

// Prefetch prefetches dst for write, where the processor can; it has no effect but on timing.
func Prefetch(*Line) {}

// prefetchLines prefetches the n lines from line on for write, where the processor can; it has no effect
// but on timing.
func prefetchLines(line *byte, n int) {}

// fetch prefetches the n lines from line on for read, where the processor can; it has no effect but on
// timing.
func fetch(line *byte, n int) {}

// glance looks up to that many times whether line has the sequence want, and reports whether it has. After
// each look it prefetches the line of along for read, where the processor can.
func glance(line *Line, want uint32, looks int, along *byte) (there bool) {
	for ; looks > 0 && !there; looks-- {
		there = Acquire(line) == want
	}
	return there
}

// release moves r on to its next packet and stores its slot and position in the counters, which only the
// caller writes, each in one store, after all earlier stores.
func release(r *Reader) {
	r.aim()
	storeCounters(r.ring.counters, r.slot, r.pos)
}

// next frees the space of r's packet, which has n bytes of payload, at most Short, and header words with the
// given sum, and then does what release does.
func next(r *Reader, n, sum uint64) {
	r.after, r.usual, r.fresh = r.pos, n, sum
	r.Consume()
}

// storeCounters stores two counters that only the caller writes, each in one store, after all earlier
// stores of the caller.
func storeCounters(dst *Line, slot, pos uint64) {
	atomic.StoreUint64(&dst[0], slot)
	atomic.StoreUint64(&dst[1], pos)
}
