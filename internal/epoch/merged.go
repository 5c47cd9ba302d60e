package epoch

import (
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

// Stored returns the first access whose data is not what part holds now: the target itself has stored there.
func (m Merged) Stored(part []byte) (a Ranked, found bool) {
	for _, a := range m {
		if a.summed && sumOf(part[a.From:a.To]) != a.sum {
			return a, true
		}
	}
	return Ranked{}, false
}
