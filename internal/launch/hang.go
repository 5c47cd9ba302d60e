package launch

import (
	"fmt"
	"slices"
	"time"

	"rhinet/internal/pmi"
)

// How often a job is checked that is to end when it makes no progress.
const (
	stallLooks   = 4 // number of checks in the given time, at least
	stallLongest = time.Second
)

// A hangDetector finds out whether a job makes no progress: every living rank is in the same wait as before.
// It counts looks rather than time, because the launcher may have been stopped for a time.
type hangDetector struct {
	every time.Duration // between two looks
	need  int           // looks with the same result that are needed
	same  int
	waits []int64 // when the waits of the ranks began, according to the ranks
}

// newHangDetector returns one for a job that may go without progress for d.
func newHangDetector(d time.Duration) *hangDetector {
	every := min(max(d/stallLooks, time.Millisecond), stallLongest)
	return &hangDetector{every: every, need: int((d + every - 1) / every)}
}

// look takes the state of the ranks, and reports whether they have made no progress for long enough.
func (s *hangDetector) look(all []reading) bool {
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

// checkStill ends a job that makes no progress.
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
