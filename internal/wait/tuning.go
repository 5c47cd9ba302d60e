package wait

import "time"

// Tunables. A wake-up through a futex takes 5 to 25 us here and a sched_yield
// round trip 1 to 2 us, so spinning pays while the wait is likely to be
// shorter than the one, and yielding while it is shorter than the other by far.
const (
	// eagerPolls is how many polls come before the first PAUSE: a wait in a
	// ping-pong ends within them, and a PAUSE is up to 140 cycles long.
	eagerPolls = 128
	// oversubscribedPolls is the same for more ranks than processors: the rank
	// that is waited for needs the processor more.
	oversubscribedPolls = 0
	// clockPolls is how many spins pass between two readings of the clock.
	clockPolls = 64
	// gosched is how many spins pass before other goroutines of this process
	// are scheduled.
	goschedPolls = 512
	// clockYields is how many yields pass before other goroutines are scheduled
	// and the clock is read. An oversubscribed rank is scheduled for a few
	// hundred nanoseconds, which begin with cache and TLB misses, and the clock
	// lies on five pages that nothing else needs.
	clockYields = 16

	// longYield is what no yield among ranks that wait takes; one in crowdSample is
	// measured, and after a long one that in crowdSoon. A long one outweighs crowdDense short
	// ones, because it costs more than
	// a hundred wake-ups; no more than crowdMost short ones end what many have begun.
	longYield   = time.Millisecond
	crowdSample = 64
	crowdSoon   = 4
	crowdDense  = 4
	crowdMost   = 8

	// A crowd is one of ranks if all but an eighth of a processor was theirs since the
	// last look, which is not older than familyMemory.
	familyShare  = 8
	familyMemory = time.Second

	// lullCounts is how far a Lull counts in 10 ns.
	lullCounts = 32

	// Copies of paceLeast to paceMost bytes are slow below paceRate bytes a nanosecond: 32 KiB that nobody has just
	// written come at 19, else at 5.5. One in paceLooks is looked at, and paceSlow slow ones in a row count: where processors
	// have no cache in common, 64 KiB that their owner has read last come at 3 to 5 the first time, at 8 the second, and at 9 to 11 then.
	paceLeast = 8 << 10
	paceMost  = 128 << 10
	paceRate  = 8
	paceLooks = 32
	paceSlow  = 4

	// aloneLooks is how often and aloneGap how far apart a launcher looks for others.
	aloneLooks = 6
	aloneGap   = 500 * time.Microsecond

	spinTime  = 75 * time.Microsecond
	yieldTime = time.Millisecond
	// napTime bounds one sleep, so that a doorbell lost by a crash delays
	// the job and does not stop it. The cost of ten wake-ups a second cannot be measured.
	napTime = 100 * time.Millisecond
	// napRanks is how many ranks of a processor wake up so often. Each wake-up also
	// makes sysmon, the monitor thread of the Go runtime, run for a while, about ten
	// context switches in all, so more ranks than that sleep longer, up to longestNap.
	napRanks   = 32
	longestNap = 2 * time.Second
)
