package wait

import "time"

// Tunables. A wake-up through a futex takes 5 to 25 us here and a sched_yield round trip 1 to 2 us.
// Spinning pays while the wait is likely to be shorter than a yield, yielding while it is far shorter than
// a wake-up.
const (
	// eagerPolls is how many polls come before the first PAUSE: a wait in a
	// ping-pong ends within them, and a PAUSE is up to 140 cycles long.
	eagerPolls = 128
	// oversubscribedPolls replaces eagerPolls when there are more ranks than processors: the rank that is
	// waited for needs the processor more.
	oversubscribedPolls = 0
	// clockPolls is how many spins pass between two readings of the clock.
	clockPolls = 64
	// goschedPolls is how many spins pass before other goroutines of this process are scheduled.
	goschedPolls = 512
	// clockYields is how many yields pass before other goroutines are scheduled and the clock is read. An
	// oversubscribed rank is scheduled for a few hundred nanoseconds, which begin with cache and TLB
	// misses, and the clock lies on five pages that nothing else uses.
	clockYields = 16

	// longYield is longer than any yield among waiting ranks. One yield in contentionSample is measured; after a
	// long one, the one contentionSoon yields later. A long yield outweighs contentionHigh short ones, because it
	// costs more than a hundred wake-ups; at most contentionMost short ones outweigh any number of long ones.
	longYield        = time.Millisecond
	contentionSample = 64
	contentionSoon   = 4
	contentionHigh   = 4
	contentionMost   = 8

	// The processors count as used by the job's ranks alone if the ranks used all but an eighth of one
	// processor since the last look, which must not be older than exclusiveWindow.
	exclusiveSlack  = 8
	exclusiveWindow = time.Second

	// delayCounts is how far a PollDelay counts in 10 ns.
	delayCounts = 32

	// aloneLooks is how often a launcher looks for other runnable threads, and aloneGap the time between
	// two looks.
	aloneLooks = 6
	aloneGap   = 500 * time.Microsecond

	spinTime  = 75 * time.Microsecond
	yieldTime = time.Millisecond
	// napTime bounds one sleep, so that a doorbell lost by a crash delays
	// the job and does not stop it. The cost of ten wake-ups a second cannot be measured.
	napTime = 100 * time.Millisecond
	// napRanks is how many ranks of a processor wake up that often. Each wake-up also makes sysmon, the
	// monitor thread of the Go runtime, run for a while, about ten context switches in all, so with more
	// ranks they sleep longer, up to longestNap.
	napRanks   = 32
	longestNap = 2 * time.Second
)
