package diagnosis

import (
	"time"

	"rhinet/internal/pmi"
)

// patience is how long a rank must be seen in the same wait before it counts as deserted by a rank that has
// ended.
const patience = 300 * time.Millisecond

// Waits remembers since when each rank has been in the same wait. A rank that ends with status 0 outside the world
// is a failure only if others wait for it in vain: the program may use sessions, or no MPI at all.
type Waits struct {
	marks map[int]watch // by waiting rank
}

// A watch is a wait that has not changed since some time.
type watch struct {
	begin int64 // as the rank says
	since time.Time
}

// Stuck returns the ranks that have been in the same wait for some time, by its looks so far.
func (w *Waits) Stuck(all []Reading, now time.Time) map[int]bool {
	if w.marks == nil {
		w.marks = map[int]watch{}
	}
	stuck := map[int]bool{}
	for i := range all {
		r := &all[i]
		if r.Ended || r.State != pmi.Waiting {
			delete(w.marks, r.Rank)
			continue
		}
		was, seen := w.marks[r.Rank]
		if !seen || was.begin != r.Since {
			w.marks[r.Rank] = watch{r.Since, now}
			continue
		}
		stuck[r.Rank] = now.Sub(was.since) >= patience
	}
	return stuck
}

// Culprit returns the rank that others wait for in vain. A wait for one peer blames that peer only. A wait
// for any source or in a collective blames a rank that was in MPI, where every rank must go on to Finalize.
// A rank that never was in MPI, or is done with it, is blamed only if no rank is left that could still complete
// the wait; one that is done is the last to be blamed, and never by a rank that is in the world: Finalize has
// waited for that one, too.
func Culprit(all []Reading, stuck map[int]bool) (int, bool) {
	hopeless := true // every living rank is stuck
	for i := range all {
		if !all[i].Ended && !stuck[i] {
			hopeless = false
		}
	}
	for _, done := range []bool{false, true} {
		for gone := range all {
			state := all[gone].State
			if !all[gone].Ended || (state == pmi.Finalized) != done {
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
