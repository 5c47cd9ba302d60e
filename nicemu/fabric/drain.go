package fabric

import (
	"runtime"
	"sync/atomic"
	"time"
)

const (
	// DrainLimit bounds the wait for a transfer, or for the start of a NIC, by a
	// rank that may have died in it.
	DrainLimit = time.Second

	// drainAgain is the same after such a wait was in vain.
	drainAgain = time.Millisecond

	// drainYields is how often that wait yields before it sleeps for drainNap
	// at a time: most transfers end within microseconds.
	drainYields = 1000
	drainNap    = 50 * time.Microsecond
)

// Await waits until w has value v, but not for ever: a rank that should change it may
// have died. It reports whether it came to that.
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

// A Drain waits for transfers by others, on behalf of the owner of the memory that they
// use. The zero value is ready; one goroutine at a time uses it.
type Drain struct{ stuck bool }

// Done waits until no transfer is under way in what the word counts them of, and
// reports whether it came to that: whoever died in a transfer holds it for ever. After it has
// not come to that once, somebody is dead or the counts were overwritten, and
// the other waits are short.
func (d *Drain) Done(holds *uint64) bool {
	limit := DrainLimit
	if d.stuck {
		limit = drainAgain
	}
	ok := Await(holds, 0, limit)
	d.stuck = d.stuck || !ok
	return ok
}
