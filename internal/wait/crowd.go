package wait

import (
	"sync/atomic"
	"time"
)

// A crowd tells whether giving the processor away is worth it. Among ranks that wait a yield
// takes microseconds. Beside a process that computes it lasts until the kernel ends the turn of
// that, milliseconds each time, while a sleeper that is woken runs at once. So a few yields
// are measured, and while they are long a wait goes to sleep instead. Several
// goroutines may count at once, and lose counts of each other.
type crowd struct {
	yields uint32 // or what would have been some
	level  uint32
}

// due reports whether the next yield is to be measured.
func (c *crowd) due() bool {
	n := atomic.LoadUint32(&c.yields) + 1
	atomic.StoreUint32(&c.yields, n)
	return n%crowdSample == 0 || n&(n-1) == 0 // also the first, which short jobs have no other of
}

// note takes in how long a yield took.
func (c *crowd) note(took time.Duration) {
	level := atomic.LoadUint32(&c.level)
	if took >= longYield {
		level = min(level+crowdDense, crowdMost)
	} else if level > 0 {
		level--
	}
	atomic.StoreUint32(&c.level, level)
}

// dense reports whether a wait had better sleep than yield.
func (c *crowd) dense() bool { return atomic.LoadUint32(&c.level) >= crowdDense }
