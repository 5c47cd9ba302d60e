package launch

import (
	"strconv"
	"strings"
)

// cycles describes every ring of ranks each of which waits for the next. A
// rank waits for at most one peer, so a walk along the waits finds them all.
func cycles(all []reading) []string {
	const (
		unseen = iota
		onPath
		done
	)
	var found []string
	state := make([]uint8, len(all))
	for first := range all {
		var path []int
		r := first
		for r >= 0 && state[r] == unseen {
			state[r] = onPath
			path = append(path, r)
			r = waitsFor(all, r)
		}
		if r >= 0 && state[r] == onPath {
			found = append(found, cycleText(path, r))
		}
		for _, r := range path {
			state[r] = done
		}
	}
	return found
}

// waitsFor returns the one rank that r waits for, or -1.
func waitsFor(all []reading, r int) int {
	s := &all[r]
	if s.ended || s.State != Waiting || s.Peer < 0 || s.Peer >= len(all) {
		return -1
	}
	return s.Peer
}

// cycleText words the cycle that ends a path and begins at rank at.
func cycleText(path []int, at int) string {
	var b strings.Builder
	in := false
	for _, r := range path {
		if in = in || r == at; in {
			b.WriteString(strconv.Itoa(r))
			b.WriteString(" -> ")
		}
	}
	b.WriteString(strconv.Itoa(at))
	if path[len(path)-1] == at {
		return b.String() + ": the rank waits for itself"
	}
	return b.String() + ": each of these ranks waits for the next"
}

// stable keeps, of the waits in two readings taken one after the other, those
// that are the same wait; the others count as computing, for their ranks have
// moved on.
func stable(before, after []reading) []reading {
	for i := range after {
		if a, b := &after[i], &before[i]; a.State == Waiting && (b.State != Waiting || a.Mark != b.Mark) {
			a.Status = Status{State: Computing}
		}
	}
	return after
}
