package report

import (
	"strings"

	"rhinet/bench/compare"
)

// Counts returns the counts of cells of all comparisons among the sources.
func Counts(sources []Source) (all []compare.Count) {
	for _, s := range sources {
		if s.Result != nil {
			all = append(all, s.Result.Counts(strings.TrimSuffix(s.File, ".json"))...)
		}
	}
	return all
}
