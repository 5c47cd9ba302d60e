package launch

import (
	"fmt"
	"slices"
	"time"

	"rhinet/internal/diagnosis"
	"rhinet/internal/pmi"
)

// checkDeserted ends the job if a rank waits in vain for one that has ended.
func (w *watcher) checkDeserted() {
	w.check = time.After(desertCheck)
	all := w.look()
	for _, r := range all {
		if r.Ended && r.State == pmi.Aborted {
			w.end(&cause{status: StatusFailed, text: w.who(r.Rank) + " called Abort and exited with status 0; " + w.rest()})
			return
		}
	}
	stuck := w.waits.Stuck(all, time.Now())
	if who, ok := diagnosis.Culprit(all, stuck); ok {
		w.end(w.desertion(all, who))
	}
}

// desertion describes a rank that has ended with status 0 without Finalize, or without a session that others
// have opened after that.
func (w *watcher) desertion(all []diagnosis.Reading, who int) *cause {
	without := "without Finalize"
	switch all[who].State {
	case pmi.Outside:
		without = "without a successful Init" // Init itself says why it failed
	case pmi.Finalized:
		without = "after Finalize"
	}
	if slices.ContainsFunc(all, func(r diagnosis.Reading) bool { return !r.Ended && r.State == pmi.Waiting }) {
		without += " while others wait"
	}
	return &cause{
		status: StatusFailed,
		text:   fmt.Sprintf("%s exited with status 0 %s; %s", w.who(who), without, w.rest()),
	}
}
