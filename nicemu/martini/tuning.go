package martini

import "time"

const (
	// holdBytes is how much a transfer moves before it looks again whether the
	// segment is still there, and so bounds how long a withdrawal waits (about
	// 100 us).
	holdBytes = 1 << 20

	// readyRings is how many packet rings, own and of others, get all their pages
	// when they are opened, 144 KiB each: a page costs 0.3 us so and 1.5 us when it
	// is first touched.
	readyRings = 32

	// drainLimit bounds the wait for a transfer, or for the start of a NIC, by
	// a rank that may have died in it.
	drainLimit = time.Second

	// drainAgain is the same after such a wait was in vain.
	drainAgain = time.Millisecond

	// drainYields is how often that wait yields before it sleeps for drainNap
	// at a time: most transfers end within microseconds.
	drainYields = 1000
	drainNap    = 50 * time.Microsecond
)
