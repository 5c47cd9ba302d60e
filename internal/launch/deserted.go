package launch

import (
	"fmt"
	"slices"
	"time"

	"rhinet/internal/pmi"
)

// patience is how long a rank must be seen in the same wait before it counts as deserted by a rank that has
// ended.
const patience = 300 * time.Millisecond

// deserted watches after a rank has ended with status 0 outside the world, which is a failure only if other
// ranks wait for that rank in vain: the program may use sessions, or no MPI at all.
type deserted struct {
	marks map[int]watch // by waiting rank
}

// A watch is a wait that has not changed since some time.
type watch struct {
	begin int64 // as the rank says
	since time.Time
}

// checkDeserted ends the job if a rank waits in vain for one that has ended.
func (w *watcher) checkDeserted() {
	w.check = time.After(desertCheck)
	all := w.look()
	for _, r := range all {
		if r.ended && r.State == pmi.Aborted {
			w.end(&cause{status: StatusFailed, text: w.who(r.rank) + " called Abort and exited with status 0; " + w.rest()})
			return
		}
	}
	stuck := w.deserted.stuck(all, time.Now())
	if who, ok := culprit(all, stuck); ok {
		w.end(w.desertion(all, who))
	}
}

// desertion describes a rank that has ended with status 0 without Finalize, or without a session that others
// have opened after that.
func (w *watcher) desertion(all []reading, who int) *cause {
	without := "without Finalize"
	switch all[who].State {
	case pmi.Outside:
		without = "without a successful Init" // Init itself says why it failed
	case pmi.Finalized:
		without = "after Finalize"
	}
	if slices.ContainsFunc(all, func(r reading) bool { return !r.ended && r.State == pmi.Waiting }) {
		without += " while others wait"
	}
	return &cause{
		status: StatusFailed,
		text:   fmt.Sprintf("%s exited with status 0 %s; %s", w.who(who), without, w.rest()),
	}
}

// stuck returns the ranks that have been in the same wait for some time.
func (d *deserted) stuck(all []reading, now time.Time) map[int]bool {
	if d.marks == nil {
		d.marks = map[int]watch{}
	}
	stuck := map[int]bool{}
	for i := range all {
		r := &all[i]
		if r.ended || r.State != pmi.Waiting {
			delete(d.marks, r.rank)
			continue
		}
		was, seen := d.marks[r.rank]
		if !seen || was.begin != r.Since {
			d.marks[r.rank] = watch{r.Since, now}
			continue
		}
		stuck[r.rank] = now.Sub(was.since) >= patience
	}
	return stuck
}

// culprit returns the rank that others wait for in vain. A wait for one peer blames that peer only. A wait
// for any source or in a collective blames a rank that was in MPI, where every rank must go on to Finalize.
// A rank that never was in MPI, or is done with it, is blamed only if no rank is left that could still complete
// the wait; one that is done is the last to be blamed, and never by a rank that is in the world: Finalize has
// waited for that one, too.
func culprit(all []reading, stuck map[int]bool) (int, bool) {
	hopeless := true // every living rank is stuck
	for i := range all {
		if !all[i].ended && !stuck[i] {
			hopeless = false
		}
	}
	for _, done := range []bool{false, true} {
		for gone := range all {
			state := all[gone].State
			if !all[gone].ended || (state == pmi.Finalized) != done {
				continue
			}
			inside := state != pmi.Outside && !done
			for r := range all {
				inVain := all[r].Peer == gone || all[r].Peer < 0 && inside || hopeless
				if stuck[r] && inVain && !(done && all[r].World) {
					return gone, true
				}
			}
		}
	}
	return 0, false
}
