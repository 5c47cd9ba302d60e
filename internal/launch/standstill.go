package launch

import (
	"fmt"
	"slices"
	"time"

	"rhinet/internal/pmi"
)

// How often a job is looked at that shall end when it stands still.
const (
	stallLooks   = 4 // at least, in the time that was given
	stallLongest = time.Second
)

// A standstill finds out whether a job makes no progress: every rank that lives is in the
// same wait as before. It counts looks, and not time, in which the launcher may have been stopped.
type standstill struct {
	every time.Duration // between two looks
	need  int           // looks that find the same
	same  int
	waits []int64 // when the waits of the ranks began, as they say
}

// newStandstill returns one for a job that may stand still for d.
func newStandstill(d time.Duration) *standstill {
	every := min(max(d/stallLooks, time.Millisecond), stallLongest)
	return &standstill{every: every, need: int((d + every - 1) / every)}
}

// look takes the state of the ranks, and reports whether they have stood still for long enough.
func (s *standstill) look(all []reading) bool {
	waits := make([]int64, len(all))
	living, waiting := 0, 0
	for i := range all {
		switch {
		case all[i].ended:
			continue
		case all[i].State == pmi.Waiting:
			waiting++
			waits[i] = all[i].Since
		}
		living++
	}
	if living == 0 || waiting < living || !slices.Equal(waits, s.waits) {
		s.same, s.waits = 0, waits
		return false
	}
	s.same++
	return s.same >= s.need
}

// checkStill ends a job that stands still.
func (w *watcher) checkStill() {
	w.stillCheck = time.After(w.still.every)
	if w.still.look(w.look()) {
		w.end(&cause{
			status:    StatusTimeout,
			impatient: true,
			text:      fmt.Sprintf("the job was ended because no rank has made progress for %v; what the ranks waited for:\n%s", w.plan.job.Stall, table(w.lookTwice())),
		})
	}
}
