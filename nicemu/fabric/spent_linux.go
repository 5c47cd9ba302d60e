package fabric

import (
	"time"

	"golang.org/x/sys/unix"
)

const (
	// processClock is the type of clock, in the low bits of its number, that counts the processor
	// time of a process.
	processClock = 2
	// pidLimit is above the number of any process. The number comes from memory that other
	// processes write, and must not overflow into the number of another clock.
	pidLimit = 1 << 22
)

// spentBy returns the processor time that a process has used, or 0 if there is no such process.
func spentBy(pid int) time.Duration {
	var t unix.Timespec
	if pid >= pidLimit || unix.ClockGettime(int32(^pid<<3|processClock), &t) != nil {
		return 0
	}
	return time.Duration(t.Nano())
}
