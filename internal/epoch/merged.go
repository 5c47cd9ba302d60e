package epoch

import (
	"bytes"
	"cmp"
	"slices"
)

// Merged is the accesses of several ranks to one part in one epoch, in the order of their first bytes.
type Merged []Ranked

// A Ranked is an access with the rank that made it.
type Ranked struct {
	*Access
	Rank int
}

// Merge merges the accesses that each rank has told, by rank.
func Merge(told [][]Access) (all Merged) {
	for r := range told {
		for i := range told[r] {
			all = append(all, Ranked{&told[r][i], r})
		}
	}
	slices.SortStableFunc(all, func(a, b Ranked) int { return cmp.Compare(a.From, b.From) })
	return all
}

// mostOpen is how many accesses to one location are compared with each other.
const mostOpen = 64

// Conflict returns the first two accesses of different ranks that conflict.
func (m Merged) Conflict() (first, second Ranked, found bool) {
	var open []Ranked // those that end behind the beginning of the next one
	for _, a := range m {
		open = slices.DeleteFunc(open, func(o Ranked) bool { return o.To <= a.From })
		for _, o := range open {
			if o.Rank != a.Rank && o.Conflicts(a.Access, false) {
				return o, a, true
			}
		}
		if len(open) < mostOpen {
			open = append(open, a)
		}
	}
	return Ranked{}, Ranked{}, false
}

// Change returns the first access that changes the part.
func (m Merged) Change() (a Ranked, found bool) {
	for _, a := range m {
		if !a.reads() {
			return a, true
		}
	}
	return Ranked{}, false
}

// Stored returns the first access beside which the target itself has stored: its data is not what part holds now, or
// it has read what no access changes, and which differs from the part before the epoch. before is nil if that is not
// known.
func (m Merged) Stored(part, before []byte) (a Ranked, found bool) {
	changed := m.changes()
	for _, a := range m {
		here := part[a.From:a.To]
		if a.summed && sumOf(here) != a.sum || before != nil && a.reads() && !changed(a.Access) && !bytes.Equal(here, before[a.From:a.To]) {
			return a, true
		}
	}
	return Ranked{}, false
}

// changes returns a function that reports whether one of the accesses changes bytes of another one.
func (m Merged) changes() func(*Access) bool {
	var spans [][2]uint64 // that are changed, apart from each other
	for _, a := range m {
		switch n := len(spans); {
		case a.reads():
		case n > 0 && a.From <= spans[n-1][1]:
			spans[n-1][1] = max(spans[n-1][1], a.To)
		default:
			spans = append(spans, [2]uint64{a.From, a.To})
		}
	}
	return func(a *Access) bool {
		i, _ := slices.BinarySearchFunc(spans, a.From+1, func(s [2]uint64, at uint64) int { return cmp.Compare(s[1], at) })
		return i < len(spans) && spans[i][0] < a.To
	}
}
