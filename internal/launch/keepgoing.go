package launch

import (
	"fmt"
	"strings"

	"rhinet/internal/pmi"
)

// A loss is a rank that a job has lost and continued without.
type loss struct {
	rank   int
	text   string // how it ended
	status int    // the resulting status of the job, unless 0
}

// goOn handles the end of ranks in a job that continues without them: it tells the other ranks. It reports
// whether the job continues; it does not if a rank has called Abort.
func (w *watcher) goOn(batch []exit) bool {
	for i := range batch {
		if e := &batch[i]; !e.ws.Stopped() && w.fabric.Status(e.rank).State == pmi.Aborted {
			return false
		}
	}
	for i := range batch {
		e := &batch[i]
		if e.ws.Stopped() {
			continue
		}
		w.fabric.MarkFailed(e.rank)
		if l, lost := w.lossOf(e); lost {
			w.lost = append(w.lost, l)
		}
	}
	return true
}

// lossOf describes how a rank was lost, if it was: killed by a signal, a loss that the other ranks survive;
// with an exit status of its own, which becomes the job's; or without Finalize.
func (w *watcher) lossOf(e *exit) (loss, bool) {
	switch {
	case e.ws.Signaled():
		sig := e.ws.Signal()
		return loss{e.rank, fmt.Sprintf("killed by signal %d, %s", int(sig), signalText(sig)), 0}, true
	case e.ws.ExitStatus() != 0:
		return loss{e.rank, fmt.Sprintf("exited with status %d", e.ws.ExitStatus()), e.ws.ExitStatus()}, true
	case w.passed == 0:
		if st := w.fabric.Status(e.rank); leaves(&st) {
			return loss{e.rank, "exited with status 0 without Finalize", StatusFailed}, true
		}
	}
	return loss{}, false
}

// losses describes the ranks that a job has lost while it went on to its end, and gives the job a status:
// that of the first rank that failed by itself, or of a signal if no rank is left that could have finished
// the work.
func (w *watcher) losses() *cause {
	if len(w.lost) == 0 {
		return nil
	}
	c := &cause{}
	for _, l := range w.lost {
		if c.status == 0 {
			c.status = l.status
		}
	}
	left := len(w.ended) - len(w.lost)
	if left == 0 && c.status == 0 {
		c.status = StatusFailed
	}
	c.text = fmt.Sprintf("%s of %d died, %d went on to the end:\n%s", plural(len(w.lost), "rank"), len(w.ended), left, w.deaths())
	return c
}

// lostBefore tells which ranks a job had lost when something else ended it.
func (w *watcher) lostBefore() string {
	if len(w.lost) == 0 {
		return ""
	}
	return fmt.Sprintf("\n%s of %d had died before:\n%s", plural(len(w.lost), "rank"), len(w.ended), w.deaths())
}

// deaths lists the lost ranks, one in a line.
func (w *watcher) deaths() string {
	var lines []string
	for _, l := range w.lost {
		lines = append(lines, fmt.Sprintf("  %s: %s", w.who(l.rank), l.text))
	}
	return strings.Join(lines, "\n")
}
