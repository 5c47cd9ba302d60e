package wait

import (
	"sync/atomic"
	"time"
)

// A crowd decides whether yielding the processor is worth it. Among ranks that wait, a yield takes
// microseconds. Next to a process that computes, a yield lasts until the kernel ends that process's time
// slice, milliseconds each time, while a sleeper that is woken runs at once. So a few yields are measured;
// while they are long, and not because of the job's own ranks, a wait sleeps instead of yielding.
//
// The longer the result stays the same, the less often it measures. In a job that has just begun it soon
// measures again after a long yield, since that may have been the last one next to ranks that were
// starting. After a short yield in a crowd, each of the next yields is measured until the short ones are
// believed or one is long. Several goroutines may count at once and may lose counts of each other.
type crowd struct {
	left  uint32 // yields, or sleeps in their place, before the next that is measured
	gap   uint32 // value of left after the last measured yield, short ones in a crowd excepted
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

// note takes in the duration of a yield.
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

// dense reports whether a wait should sleep rather than yield.
func (c *crowd) dense() bool { return atomic.LoadUint32(&c.level) >= crowdDense }
