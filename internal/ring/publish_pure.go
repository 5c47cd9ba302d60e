//go:build !amd64 || purego || race

package ring

import "sync/atomic"

// Publish copies src to dst, the sequence last. src must hold a sequence.
func Publish(dst, src *Line) {
	dst[1], dst[2], dst[3], dst[4] = src[1], src[2], src[3], src[4]
	dst[5], dst[6], dst[7] = src[5], src[6], src[7]
	atomic.StoreUint64(&dst[0], src[0])
}

// put writes packet number slot, whose payload has at most Inline bytes, into its
// of the lines, the sequence last. It returns the sum of the header words.
func put(lines []Line, slot uint64, p *Packet) (sum uint64) {
	dst := &lines[slot&uint64(len(lines)-1)]
	copy(inline(dst)[:], p.Data)
	w0, w1 := p.Head[0]|uint64(Seq(slot)), p.Head[1]|uint64(len(p.Data))
	dst[2], dst[1] = p.Head[2], w1
	atomic.StoreUint64(&dst[0], w0)
	return w0 + w1 + p.Head[2]
}

// Prefetch asks for dst with the intent to write it, where the processor can
// be asked; it changes nothing but timing.
func Prefetch(*Line) {}

// fetch asks for the n lines from line on, to read them, where the processor
// can be asked; it changes nothing but timing.
func fetch(line *byte, n int) {}

// claim asks for the n lines from line on with the intent to write them, where
// the processor can be asked.
func claim(line *byte, n int) {}

// storeCounters stores two counters that only the caller writes, each whole,
// after all that it stored before.
func storeCounters(dst *Line, slot, pos uint64) {
	atomic.StoreUint64(&dst[0], slot)
	atomic.StoreUint64(&dst[1], pos)
}
