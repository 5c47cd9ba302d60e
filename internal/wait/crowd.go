package wait

import (
	"sync/atomic"
	"time"
)

// A crowd tells whether giving the processor away is worth it. Among ranks that wait a yield
// takes microseconds. Beside a process that computes it lasts until the kernel ends the turn of
// that, milliseconds each time, while a sleeper that is woken runs at once. So a few yields
// are measured, and while they are long, and not for what ranks do, a wait goes to sleep instead.
//
// The longer it finds the same, the seldomer it measures: a job that has just begun soon again, since a long yield may have been
// the last of those beside ranks that were starting. After a short one in a crowd the next ones are
// measured each, until they are believed or one is long. Several
// goroutines may count at once, and lose counts of each other.
type crowd struct {
	left  uint32 // yields, or what would have been some, before the next that is measured
	gap   uint32 // what left was after the last measured one that was not a short one in a crowd
	level uint32
}

// due reports whether the next yield is to be measured.
func (c *crowd) due() bool {
	left := atomic.LoadUint32(&c.left)
	if left == 0 {
		return true
	}
	atomic.StoreUint32(&c.left, left-1)
	return false
}

// note takes in how long a yield took.
func (c *crowd) note(took time.Duration) {
	level, gap := atomic.LoadUint32(&c.level), atomic.LoadUint32(&c.gap)
	var left uint32
	switch {
	case took >= longYield:
		gap = min(max(2*gap, crowdSoon), crowdSample-1)
		left, level = gap, min(level+crowdDense, crowdMost)
	case level > 0:
		level--
	default:
		gap = min(2*gap+1, crowdSample-1)
		left = gap
	}
	atomic.StoreUint32(&c.level, level)
	atomic.StoreUint32(&c.gap, gap)
	atomic.StoreUint32(&c.left, left)
}

// dense reports whether a wait had better sleep than yield.
func (c *crowd) dense() bool { return atomic.LoadUint32(&c.level) >= crowdDense }
