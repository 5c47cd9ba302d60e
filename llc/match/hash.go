package match

import (
	"math"
	"math/bits"
)

// Tunables. A scan of a few entries that are in the cache costs less than a
// hash; beyond that lines hold about two entries on average.
const (
	shallow    = 32      // entries in one line before tags are hashed
	perLine    = 2       // entries per line, on average, before lines are doubled
	mostLines  = 1 << 16 // lines of one queue
	hashFactor = 0x9E3779B1
)

// hash spreads tags, which programs like to count or to multiply by powers of
// two, over 32 bits; the top bits choose the line.
func hash(tag int32) uint32 { return uint32(tag) * hashFactor }

// deep reports whether a queue of n entries wants more than lines lines.
func deep(n, lines int) bool {
	if lines == 0 {
		return n > shallow
	}
	return n > room(lines)
}

// room returns how many entries so many lines have before there are more lines.
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

// shift returns by how much a hash is shifted to choose one of lines lines.
func shift(lines int) uint8 { return uint8(32 - bits.TrailingZeros(uint(lines))) }
