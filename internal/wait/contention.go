package wait

import (
	"sync/atomic"
	"time"
)

// A contention decides whether yielding the processor is worth it. Among ranks that wait, a yield takes
// microseconds. Next to a process that computes, a yield lasts until the kernel ends that process's time
// slice, milliseconds each time, while a sleeper that is woken runs at once. So a few yields are measured;
// while they are long, and not because of the job's own ranks, a wait sleeps instead of yielding.
//
// The longer the result stays the same, the less often it measures. In a job that has just begun it soon
// measures again after a long yield, since that may have been the last one next to ranks that were
// starting. After a short yield under contention, each of the next yields is measured until the short ones are
// believed or one is long. Several goroutines may count at once and may lose counts of each other.
type contention struct {
	left  uint32 // yields, or sleeps in their place, before the next that is measured
	gap   uint32 // value of left after the last measured yield, short ones under contention excepted
	level uint32
}

// due reports whether the next yield is to be measured.
func (c *contention) due() bool {
	left := atomic.LoadUint32(&c.left)
	if left == 0 {
		return true
	}
	atomic.StoreUint32(&c.left, left-1)
	return false
}

// note takes in the duration of a yield.
func (c *contention) note(took time.Duration) {
	level, gap := atomic.LoadUint32(&c.level), atomic.LoadUint32(&c.gap)
	var left uint32
	switch {
	case took >= longYield:
		gap = min(max(2*gap, contentionSoon), contentionSample-1)
		left, level = gap, min(level+contentionHigh, contentionMost)
	case level > 0:
		level--
	default:
		gap = min(2*gap+1, contentionSample-1)
		left = gap
	}
	atomic.StoreUint32(&c.level, level)
	atomic.StoreUint32(&c.gap, gap)
	atomic.StoreUint32(&c.left, left)
}

// high reports whether a wait should sleep rather than yield.
func (c *contention) high() bool { return atomic.LoadUint32(&c.level) >= contentionHigh }
