package mpi

import "time"

// mostPause is the longest time between two reports of a call.
const mostPause = 16 * time.Second

// A stall is the call that a rank is in, and when to report it.
type stall struct {
	turn  uint32 // 0: none
	next  time.Time
	pause time.Duration // after that before it is reported again
}

// due reports whether the call of that number, in which the rank is, is to be reported now. Each report has all ranks
// look for messages often for a while: of a wait that lasts, for good reasons or in a deadlock, they become rarer, so
// that the ranks do not seem to be at work.
func (s *stall) due(turn uint32, now time.Time, patience time.Duration) bool {
	if turn != s.turn || s.next.IsZero() {
		*s = stall{turn, now.Add(patience), answerTime}
		return false
	}
	if turn == 0 || now.Before(s.next) {
		return false
	}
	s.next = now.Add(s.pause)
	s.pause = min(2*s.pause, mostPause)
	return true
}
