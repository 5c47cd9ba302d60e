package match

import (
	"math"
	"math/bits"
)

// Tunables. A scan of a few entries that are in the cache costs less than a hash; beyond that lists hold
// about two entries on average.
const (
	shallow    = 32      // entries in one list before tags are hashed
	perLine    = 2       // entries per list, on average, before the number of lists doubles
	mostLines  = 1 << 16 // lists of one queue
	hashFactor = 0x9E3779B1
)

// hash spreads tags, which programs like to count or to multiply by powers of two, over 32 bits; the top bits
// choose the list.
func hash(tag int32) uint32 { return uint32(tag) * hashFactor }

// deep reports whether a queue of n entries needs more than so many lines.
func deep(n, lines int) bool {
	if lines == 0 {
		return n > shallow
	}
	return n > room(lines)
}

// room returns how many entries fit so many lines before there are more lines.
func room(lines int) int {
	if lines >= mostLines {
		return math.MaxInt
	}
	return perLine * lines
}

// buckets returns how many lines n entries get: room to double.
func buckets(n int) int {
	return min(1<<bits.Len(uint(n)), mostLines)
}

// shift returns by how much a hash is shifted to choose one of so many lines.
func shift(lines int) uint8 { return uint8(32 - bits.TrailingZeros(uint(lines))) }
