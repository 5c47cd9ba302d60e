package launch

import (
	"fmt"
	"time"

	"rhinet/internal/pmi"
)

// When a rank is killed, its peers can notice this before the kernel passes the status to the launcher, so
// a peer may have given up and ended before. While such a rank is exiting, the verdict on the ranks that
// have ended waits for it: it is checked every verdictLook, for up to verdictPatience.
const (
	verdictLook     = 5 * time.Millisecond
	verdictPatience = 500 * time.Millisecond
)

// How likely the end of a rank is the root cause of a failure, in increasing order.
const (
	succeeded = iota // checkDeserted finds out whether it could end; a successful job does not pay for reading the status lines
	survived         // it ended after it had noticed the failure of another rank, which has indeed ended
	failed           // with an exit status
	aborted
	crashed
)

// judge looks at the known ends of ranks, and ends the job because of the likeliest root cause among them,
// unless a likelier one may still come.
func (w *watcher) judge(now time.Time) {
	w.recheck = nil
	if w.suspect == nil || w.cause != nil {
		return
	}
	if w.suspectSince.IsZero() {
		w.suspectSince = now
	}
	if w.weight(w.suspect) < crashed && now.Sub(w.suspectSince) < verdictPatience && w.anyDying() {
		w.recheck = time.After(verdictLook)
		return
	}
	w.end(w.blame(w.suspect))
}

// suspects notes the end of a rank if it is a likelier root cause of a failure than those before.
func (w *watcher) suspects(e *exit) {
	weight := w.weight(e)
	if weight != succeeded && w.cause == nil && (w.suspect == nil || weight > w.weight(w.suspect)) {
		w.suspect = e
	}
}

// weight says how likely an end is the root cause of a failure when several ranks have ended.
func (w *watcher) weight(e *exit) int {
	switch {
	case e.ws.Signaled():
		return crashed
	case e.ws.ExitStatus() == 0:
		return succeeded
	}
	st := w.fabric.Status(e.rank)
	switch lost := st.Lost - 1; {
	case lost >= 0 && lost < len(w.ended) && lost != e.rank && (w.ended[lost] || w.ranks.dying(lost)):
		return survived
	case st.State == pmi.Aborted:
		return aborted
	}
	return failed
}

// anyDying reports whether a rank has begun to exit and has not been reaped.
func (w *watcher) anyDying() bool {
	for r, ended := range w.ended {
		if !ended && w.ranks.dying(r) {
			return true
		}
	}
	return w.ranks.away != nil && w.missesOther(w.suspect)
}

// missesOther reports whether a rank has noticed the failure of another one whose end has not been reported
// yet.
func (w *watcher) missesOther(e *exit) bool {
	lost := w.fabric.Status(e.rank).Lost - 1
	return lost >= 0 && lost < len(w.ended) && lost != e.rank && !w.ended[lost]
}

// deserter returns the rank whose failure e's rank has noticed, if that rank ended with status 0 without
// Finalize.
func (w *watcher) deserter(e *exit) (r int, ok bool) {
	r = w.fabric.Status(e.rank).Lost - 1
	if r < 0 || r >= len(w.ended) || !w.ended[r] || r == e.rank {
		return 0, false
	}
	st := w.fabric.Status(r).State
	return r, st == pmi.Computing || st == pmi.Waiting
}

// blameDeserter describes the failure of a rank that left the others, which another rank has noticed.
func (w *watcher) blameDeserter(r int) *cause {
	w.settle()
	return &cause{
		status: StatusFailed,
		text:   fmt.Sprintf("%s exited with status 0 without Finalize while others wait; %s", w.who(r), w.rest()),
	}
}
