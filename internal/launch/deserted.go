package launch

import (
	"fmt"
	"time"
)

// patience is how long a rank must be seen in one and the same wait before it
// counts as deserted by a rank that is gone.
const patience = 300 * time.Millisecond

// deserted keeps watch when a rank has ended with status 0 without Finalize:
// alone that is no failure (the program may not use MPI at all), but it is one
// as soon as others wait for that rank in vain.
type deserted struct {
	by    []int         // ranks that are gone without Finalize
	marks map[int]watch // by waiting rank
}

// A watch is a wait that has not changed since a time.
type watch struct {
	mark  uint64
	since time.Time
}

// checkDeserted ends the job if somebody waits in vain.
func (w *watcher) checkDeserted() {
	w.check = time.After(desertCheck)
	all := w.look()
	stuck := w.deserted.stuck(all, time.Now())
	if who, ok := w.deserted.culprit(all, stuck); ok {
		w.end(&cause{
			status: StatusFailed,
			text: fmt.Sprintf("rank %d (%s, pid %d) exited with status 0 without Finalize while others wait; %s",
				who, w.plan.programs[w.plan.slots[who].Part].name, w.ranks.pid(who), w.rest()),
		})
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
		if r.ended || r.State != Waiting {
			delete(d.marks, r.rank)
			continue
		}
		was, seen := d.marks[r.rank]
		if !seen || was.mark != r.Mark {
			d.marks[r.rank] = watch{r.Mark, now}
			continue
		}
		stuck[r.rank] = now.Sub(was.since) >= patience
	}
	return stuck
}

// culprit returns the rank that others wait for in vain. A wait for one peer
// convicts that peer only. A wait for anybody or in a collective convicts a
// rank that was in MPI, where every rank must go on to Finalize; one that never
// was in MPI only if no rank is left that could still bring the wait to an end.
func (d *deserted) culprit(all []reading, stuck map[int]bool) (int, bool) {
	hopeless := true // every living rank is stuck
	for i := range all {
		if !all[i].ended && !stuck[i] {
			hopeless = false
		}
	}
	for _, gone := range d.by {
		for r := range all {
			if !stuck[r] {
				continue
			}
			wasInside := all[gone].State != Outside
			if all[r].Peer == gone || all[r].Peer < 0 && wasInside || hopeless {
				return gone, true
			}
		}
	}
	return 0, false
}
