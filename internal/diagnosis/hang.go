package diagnosis

import (
	"slices"
	"time"

	"rhinet/internal/pmi"
)

// How often one looks at a job that is to end when it makes no progress.
const (
	stallLooks   = 4 // number of looks in the given time, at least
	stallLongest = time.Second
)

// A HangDetector finds out whether a job makes no progress: every living rank is in the same wait as before.
// It counts looks rather than time, because the launcher may have been stopped for a time.
type HangDetector struct {
	Every time.Duration // between two looks
	need  int           // looks with the same result that are needed
	same  int
	waits []int64 // when the waits of the ranks began, according to the ranks
}

// NewHangDetector returns one for a job that may go without progress for d.
func NewHangDetector(d time.Duration) *HangDetector {
	every := min(max(d/stallLooks, time.Millisecond), stallLongest)
	return &HangDetector{Every: every, need: int((d + every - 1) / every)}
}

// Look takes the state of the ranks, and reports whether they have made no progress for long enough.
func (s *HangDetector) Look(all []Reading) bool {
	waits := make([]int64, len(all))
	living, waiting := 0, 0
	for i := range all {
		switch {
		case all[i].Ended:
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
