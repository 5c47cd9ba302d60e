package wait

import "time"

// Tunables. A wake-up through a futex takes 5 to 25 us here and a sched_yield
// round trip 1 to 2 us, so spinning pays while the wait is likely to be
// shorter than the one, and yielding while it is shorter than the other by far.
const (
	// eagerPolls is how many polls come before the first PAUSE: a wait in a
	// ping-pong ends within them, and a PAUSE is up to 140 cycles long.
	eagerPolls = 128
	// crowdedPolls is the same for more ranks than processors: whoever is
	// waited for needs the processor more.
	crowdedPolls = 0
	// clockPolls is how many spins pass between two looks at the clock.
	clockPolls = 64
	// gosched is how many spins pass before other goroutines of this process
	// have their turn.
	goschedPolls = 512
	// clockYields is how many yields pass before other goroutines have theirs
	// and the clock is looked at. Where ranks share processors a turn of a few
	// hundred nanoseconds begins with cold caches and translations, and the clock
	// lies on five pages that nothing else needs.
	clockYields = 16

	// lullCounts is how far a Lull counts in 10 ns.
	lullCounts = 32

	spinTime  = 75 * time.Microsecond
	yieldTime = time.Millisecond
	// napTime bounds one sleep, so that a doorbell lost by a crash costs a
	// pause and not the job. Ten wake-ups a second cannot be measured.
	napTime = 100 * time.Millisecond
	// napRanks is how many ranks of a processor wake up so often. Each wake-up has
	// the Go runtime's monitor run for a while as well, about ten context switches
	// in all, so that more ranks than that sleep longer at a time, up to longestNap.
	napRanks   = 32
	longestNap = 2 * time.Second
)
