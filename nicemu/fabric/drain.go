package fabric

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// DrainLimit bounds the wait for a transfer, or for the start of a NIC, by a rank that may have
	// died in the middle.
	DrainLimit = time.Second

	// drainAgain is the limit after one such wait has timed out.
	drainAgain = time.Millisecond

	// drainYields is how often that wait yields before it starts to sleep, for drainNap at a time:
	// most transfers end within microseconds.
	drainYields = 1000
	drainNap    = 50 * time.Microsecond
)

// Await waits until w has value v, or until limit has passed, because the rank that should change w
// may have died. It reports whether w has the value.
func Await(w *uint64, v uint64, limit time.Duration) bool {
	if atomic.LoadUint64(w) == v {
		return true
	}
	end := time.Now().Add(limit)
	for n := 0; atomic.LoadUint64(w) != v; n++ {
		if n < drainYields {
			runtime.Gosched()
			continue
		}
		if time.Now().After(end) {
			return false
		}
		time.Sleep(drainNap)
	}
	return true
}

// A Drain waits for transfers by other ranks, on behalf of the owner of the memory that they use.
// The zero value is ready; one goroutine at a time uses it.
type Drain struct{ stuck bool }

// Done waits until holds, which counts transfers in progress, is 0, and reports whether it is: a
// rank that dies in a transfer holds it for ever. After the first timeout a rank is dead or the
// count was overwritten, and later waits are short.
func (d *Drain) Done(holds *uint64) bool {
	limit := DrainLimit
	if d.stuck {
		limit = drainAgain
	}
	ok := Await(holds, 0, limit)
	d.stuck = d.stuck || !ok
	return ok
}
