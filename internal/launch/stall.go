package launch

import (
	"fmt"

	"rhinet/internal/pmi"
)

// A Timekeeper is a [Fabric] of a job in virtual time. There a rank that waits is
// known to wait, and nothing but another rank can end it.
type Timekeeper interface {
	Fabric
	// Stalls gives a value when every rank waits and nothing is under way, and when
	// time cannot go on.
	Stalls() <-chan Stall
	// Ended tells that the process of a rank is gone.
	Ended(rank int)
}

// A Stall is why virtual time does not go on.
type Stall struct {
	Sure bool  // no goroutine outside of MPI can end it
	Err  error // not nil: time cannot be kept any more
}

// keep has the watcher learn of stalls.
func (w *watcher) keep(f Fabric) {
	if k, ok := f.(Timekeeper); ok {
		w.keeper, w.stalls = k, k.Stalls()
	}
}

// stalled ends a job in which every rank waits and nothing is under way.
func (w *watcher) stalled(s Stall) {
	if s.Err != nil {
		w.end(&cause{status: StatusFailed, text: fmt.Sprintf("virtual time cannot be kept any more: %v", s.Err)})
		return
	}
	all := w.look()
	waiting := map[int]bool{}
	for _, r := range all {
		if !r.ended && r.State == pmi.Waiting {
			waiting[r.rank] = true
		}
	}
	if who, ok := culprit(all, waiting); ok {
		w.end(w.desertion(all, who))
		return
	}
	if !s.Sure {
		w.say(w.plan.job.Name + ": every rank waits, and nothing is under way in virtual time; unless a goroutine outside of MPI goes on, the job hangs:\n" + table(all))
		return
	}
	w.end(&cause{
		status: StatusFailed,
		text:   "the job hangs: every rank waits, and nothing is under way in virtual time; what the ranks waited for:\n" + table(all),
	})
}
