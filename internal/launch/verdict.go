package launch

import (
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
	succeeded = iota // or it left without a world; checkDeserted finds out whether it could
	survived         // it ended after it had noticed the failure of another rank, which has indeed ended
	left             // with status 0, and without Finalize
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
	case e.ws.ExitStatus() == 0 && w.passed != 0:
		return succeeded // the program may end in this way upon a signal
	}
	st := w.fabric.Status(e.rank)
	switch lost := st.Lost - 1; {
	case e.ws.ExitStatus() == 0 && !leaves(&st):
		return succeeded
	case lost >= 0 && lost < len(w.ended) && lost != e.rank && (w.ended[lost] || w.ranks.dying(lost)):
		return survived
	case st.State == pmi.Aborted:
		return aborted
	case e.ws.ExitStatus() == 0:
		return left
	}
	return failed
}

// leaves reports whether a rank that has exited with status 0 should have called Finalize before: every
// process in the world must (MPI 4.1, section 11.2.2). Abort is another end.
func leaves(st *pmi.Status) bool { return st.World && st.State != pmi.Aborted }

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

// blameDeserter describes the end of a rank that has left the others without Finalize.
func (w *watcher) blameDeserter(r int) *cause {
	w.settle()
	return w.desertion(w.look(), r)
}
