package launch

import (
	"fmt"
	"time"

	"rhinet/internal/diagnosis"
)

// checkStill ends a job that makes no progress.
func (w *watcher) checkStill() {
	w.stillCheck = time.After(w.still.Every)
	if w.still.Look(w.look()) {
		w.end(&cause{
			status:    StatusTimeout,
			impatient: true,
			text:      fmt.Sprintf("the job was ended because no rank has made progress for %v; what the ranks waited for:\n%s", w.plan.job.Stall, diagnosis.Table(w.lookTwice())),
		})
	}
}
