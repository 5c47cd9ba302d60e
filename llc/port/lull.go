package port

import "time"

// A lull is how long a blocking receive leaves the line alone on which its
// packet will show, before it looks for the first time, in units of wait.Lull.
// A line that its reader does not look at stays with its writer, who then need
// not fetch it: so the best first look is the one that just finds it written.
//
// In a ping-pong that is after a third of a round, or after almost half if the
// payload does not lie in the packet's line and both are fetched together. To grow after each look that
// came too early and to shrink after others does not find it: both sides would
// wait for each other's lull, which pushes both up. Elsewhere a lull is lost
// time, so it needs waits of which hardly one ends at its first look, and goes
// when rounds take no less with it than without.
type lull struct {
	now     int
	waits   int           // since the last choice
	instant int           // of them, those that ended at their first look
	began   time.Duration // when they began
	without int           // nanoseconds of a round without a lull
	apart   bool          // the payload of packets lies apart
	pause   int           // choices until a lull is tried again
	failed  int           // trials in a row that did not help
}

// adapt counts a wait that looked in vain so often, and chooses the lull anew
// from time to time.
func (l *lull) adapt(looks int) {
	if looks == 0 {
		l.instant++
	}
	if l.waits++; l.waits == lullWaits {
		l.choose(time.Since(epoch))
	}
}

// choose chooses the lull from the waits counted, at the given time.
func (l *lull) choose(now time.Duration) {
	round := int(now-l.began) / lullWaits
	switch {
	case l.now == 0 && l.pause > 0:
		l.pause--
	case l.now == 0:
		if l.without = round; round <= longRound && l.instant <= fewInstant {
			l.now = l.share(round)
		}
	case round >= l.without:
		l.now, l.pause = 0, lullPause<<l.failed
		l.failed = min(l.failed+1, mostFailed)
	case l.instant == lullWaits:
		l.now--
	default:
		l.now, l.failed = l.share(round), 0
	}
	l.waits, l.instant, l.began = 0, 0, now
}

// share is the lull for a ping-pong with rounds of so many nanoseconds.
func (l *lull) share(round int) int {
	if l.apart {
		return round / apartShare
	}
	return round / lullShare
}

// epoch is what times are measured from; it never changes.
var epoch = time.Now()
