package launch

import (
	"fmt"
	"time"

	"rhinet/internal/diagnosis"
	"rhinet/internal/pmi"
)

// A Timekeeper is a [Fabric] of a job in virtual time. In such a job it is known which ranks wait, and only
// another rank can end a wait.
type Timekeeper interface {
	Fabric
	// Stalls returns a channel with a value when every rank waits and nothing is in flight, and when time
	// can't be kept.
	Stalls() <-chan Stall
	// Ended tells that the process of a rank has ended.
	Ended(rank int)
}

// A Stall is the reason why virtual time has stopped.
type Stall struct {
	Sure bool  // no goroutine outside of MPI can end it
	Err  error // not nil: time can no longer be kept
}

// keep subscribes the watcher to stalls.
func (w *watcher) keep(f Fabric) {
	if k, ok := f.(Timekeeper); ok {
		w.keeper, w.stalls = k, k.Stalls()
	}
}

// doubtTime is how long a goroutine outside of MPI, which may have been about to make a call, has to make it.
const doubtTime = 2 * time.Second

// doubt says that the job may hang, if no rank has gone on since a stall that is not sure.
func (w *watcher) doubt() {
	before := w.doubted
	w.doubted, w.doubtEnds = nil, nil
	all := diagnosis.Stable(before, w.look())
	for i, r := range before {
		if r.State == pmi.Waiting && all[i].State != pmi.Waiting {
			return
		}
	}
	w.say(w.plan.job.Name + ": every rank waits, and nothing is under way in virtual time; unless a goroutine outside of MPI goes on, the job hangs:\n" + diagnosis.Table(all))
}

// stalled ends a job in which every rank waits and nothing is in flight.
func (w *watcher) stalled(s Stall) {
	if s.Err != nil {
		w.end(&cause{status: StatusFailed, text: fmt.Sprintf("virtual time cannot be kept any more: %v", s.Err)})
		return
	}
	all := w.look()
	waiting := map[int]bool{}
	for _, r := range all {
		if !r.Ended && r.State == pmi.Waiting {
			waiting[r.Rank] = true
		}
	}
	if who, ok := diagnosis.Culprit(all, waiting); ok {
		w.end(w.desertion(all, who))
		return
	}
	if !s.Sure {
		w.doubted, w.doubtEnds = all, time.After(doubtTime)
		return
	}
	w.end(&cause{
		status: StatusFailed,
		text:   "the job hangs: every rank waits, and nothing is under way in virtual time; what the ranks waited for:\n" + diagnosis.Table(all),
	})
}
