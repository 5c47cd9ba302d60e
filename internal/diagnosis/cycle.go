package diagnosis

import (
	"slices"
	"strconv"
	"strings"
	"time"

	"rhinet/internal/pmi"
)

// Cycles describes every cycle of ranks each of which waits for the next. A rank waits for at most one
// peer, so a walk along the waits finds all cycles.
func Cycles(all []Reading) []string {
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
			cycle := path[slices.Index(path, r):]
			found = append(found, cycleText(all, cycle))
			found = append(found, differentTags(all, cycle)...)
			found = append(found, differentOrder(all, cycle)...)
		}
		for _, r := range path {
			state[r] = done
		}
	}
	return found
}

// waitsFor returns the one rank that r waits for, or -1.
func waitsFor(all []Reading, r int) int {
	s := &all[r]
	if s.Ended || s.State != pmi.Waiting || s.Peer < 0 || s.Peer >= len(all) {
		return -1
	}
	return s.Peer
}

// cycleText describes a cycle of ranks. If one of them is computing, or has another goroutine in a call, it
// need not be a deadlock: two ranks also wait for each other while a long message is transferred between
// them.
func cycleText(all []Reading, path []int) string {
	var b strings.Builder
	var busy, several []int
	for _, r := range path {
		b.WriteString(strconv.Itoa(r))
		b.WriteString(" -> ")
		if all[r].Busy {
			busy = append(busy, r)
		}
		if all[r].More > 0 {
			several = append(several, r)
		}
	}
	b.WriteString(strconv.Itoa(path[0]))
	text := ": each of these ranks waits for the next"
	if len(path) == 1 {
		text = ": the rank waits for itself"
	}
	switch {
	case len(busy) > 0:
		return "cycle: " + b.String() + text + ", but " + are(busy) + " at work, perhaps on a long message"
	case len(several) > 0:
		return "cycle: " + b.String() + text + ", but " + are(several) + " in other calls too, which may end first"
	}
	return "deadlock: " + b.String() + text
}

// are names ranks with the verb.
func are(ranks []int) string {
	slices.Sort(ranks)
	return with(ranks, "is", "are")
}

// with names ranks with a verb, for one and for several.
func with(ranks []int, one, several string) string {
	if len(ranks) == 1 {
		several = one
	}
	return Ranks(ranks) + " " + several
}

// Stable returns the second of two readings, in which it keeps those waits that are also in the first one.
// Ranks with another wait count as computing, because they have moved on.
func Stable(before, after []Reading) []Reading {
	for i := range after {
		if a, b := &after[i], &before[i]; a.State == pmi.Waiting && (b.State != pmi.Waiting || a.Since != b.Since) {
			a.Status, a.For = pmi.Status{State: pmi.Computing}, 0
		}
	}
	return after
}

// Rereading is the time between two readings of a supposed deadlock: long enough for every rank to have
// been scheduled in between.
func Rereading(ranks, processors int) time.Duration {
	const (
		alone = 100 * time.Millisecond
		turn  = 10 * time.Millisecond
		most  = time.Second
	)
	return min(alone+turn*time.Duration(ranks)/time.Duration(max(1, processors)), most)
}

// AtWork marks the ranks that have used processors between two readings, d apart, for more than a wait
// costs, which looks around now and then.
func AtWork(all []Reading, before, after []time.Duration, d time.Duration) {
	const share = 50
	for i := range all {
		all[i].Busy = after[i]-before[i] > d/share
	}
}
