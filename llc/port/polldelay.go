package port

import "time"

// A pollDelay is the poll delay of a blocking receive: how long it does not poll the line in which its packet
// will arrive, in units of wait.PollDelay. A line that its reader does not poll stays in the cache of its
// writer, which then need not fetch it: the best first poll comes just after the line was written.
//
// In a ping-pong this is after a third of a round, or after almost half if the payload lies in other lines
// and all are fetched together. Increasing the delay after a poll that came too early and decreasing it
// otherwise does not find this value: each side would wait for the other's delay, and both would grow.
// Outside of a ping-pong a delay is lost time, so it is used only if hardly any wait ends at its first poll,
// and dropped when rounds are no shorter with it than without.
type pollDelay struct {
	now     int
	waits   int           // since the last choice
	instant int           // of them, those that ended at their first poll
	began   time.Duration // when they began
	without int           // nanoseconds of a round without a delay
	apart   bool          // the payload of packets lies in other lines
	pause   int           // choices until a delay is tried again
	failed  int           // trials in a row that did not help
}

// calm reports whether a receive looks for its packet at once, and no choice is due.
func (l *pollDelay) calm() bool { return l.now == 0 && l.waits != delayWaits-1 }

// adapt counts a wait with so many fruitless polls, and chooses a new delay from time to time.
func (l *pollDelay) adapt(looks int) {
	if looks == 0 {
		l.instant++
	}
	if l.waits++; l.waits == delayWaits {
		l.choose(time.Since(epoch))
	}
}

// choose derives the delay from the waits counted, at the given time.
func (l *pollDelay) choose(now time.Duration) {
	round := int(now-l.began) / delayWaits
	switch {
	case l.now == 0 && l.pause > 0:
		l.pause--
	case l.now == 0:
		if l.without = round; round <= longRound && l.instant <= fewInstant {
			l.now = l.share(round)
		}
	case round >= l.without:
		l.now, l.pause = 0, delayPause<<l.failed
		l.failed = min(l.failed+1, mostFailed)
	case l.instant == delayWaits:
		l.now--
	default:
		l.now, l.failed = l.share(round), 0
	}
	l.waits, l.instant, l.began = 0, 0, now
}

// share returns the delay for a ping-pong with rounds of so many nanoseconds.
func (l *pollDelay) share(round int) int {
	if l.apart {
		return round / apartShare
	}
	return round / delayShare
}

// epoch is what times are measured from; it never changes.
var epoch = time.Now()
