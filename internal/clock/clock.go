// Package clock is the time that a program sees: it passes as usual, unless the
// process lives in virtual time. A process has one clock, for MPI has calls that
// name no communicator (MPI 4.1, section 9.6).
package clock

import (
	"sync/atomic"
	"time"
)

var (
	epoch  = time.Now()
	source atomic.Pointer[func() float64]
)

// Seconds returns the seconds since the process started, or those of its virtual
// time.
func Seconds() float64 {
	if now := source.Load(); now != nil {
		return (*now)()
	}
	return time.Since(epoch).Seconds()
}

// Use has Seconds return what now says; nil: the usual time. Only whoever
// makes the process a rank calls it.
func Use(now func() float64) {
	if now == nil {
		source.Store(nil)
		return
	}
	source.Store(&now)
}
