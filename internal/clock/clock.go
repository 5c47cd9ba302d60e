// Package clock is the time that a program sees: real time, or virtual time if the process runs in virtual
// time. A process has one clock, because MPI has calls without a communicator that return the time
// (MPI 4.1, section 9.6).
package clock

import (
	"sync/atomic"
	"time"
)

var (
	epoch  = time.Now()
	source atomic.Pointer[func() float64]
)

// Seconds returns the seconds since the process started, or the virtual time.
func Seconds() float64 {
	if now := source.Load(); now != nil {
		return (*now)()
	}
	return float64(time.Since(epoch)) * 1e-9
}

// Use has Seconds return what now returns; nil: real time. Only the code that makes the process a rank
// calls it.
func Use(now func() float64) {
	if now == nil {
		source.Store(nil)
		return
	}
	source.Store(&now)
}
