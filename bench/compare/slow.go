package compare

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"rhinet/bench"
)

// A TooSlow is a size that a runtime skipped in a test in a round, because smaller sizes had taken too
// long.
type TooSlow struct {
	Round   int    `json:"round"`
	Runtime string `json:"runtime"`
	Test    string `json:"test"`
	Ranks   int    `json:"ranks"`
	Bytes   int    `json:"bytes"`
}

// Slow reports whether the runtime with index place in Runtimes has no figure in a line because it is too
// slow.
func (res *Result) Slow(place int, l Line) bool {
	return math.IsNaN(l.Medians[place]) && slices.ContainsFunc(res.TooSlow, func(b TooSlow) bool {
		return b.Runtime == res.Runtimes[place] && b.Test == l.Test && b.Ranks == l.Ranks && b.Bytes == l.Bytes
	})
}

// bounds returns notes on sizes that were skipped in every round because they were too slow, one note for
// each runtime and number of ranks.
func (res *Result) bounds() (notes []string) {
	measured := map[roundFigure]bool{}
	for _, s := range res.Samples {
		measured[figureKey(0, s.Runtime, s.Test, s.Ranks, s.Bytes)] = true
	}
	type where struct {
		name  string
		ranks int
	}
	from := map[where]map[string]int{} // test -> the smallest size
	var order []where
	for _, b := range res.TooSlow {
		if measured[figureKey(0, b.Runtime, b.Test, b.Ranks, b.Bytes)] {
			continue
		}
		w := where{b.Runtime, b.Ranks}
		if from[w] == nil {
			from[w] = map[string]int{}
			order = append(order, w)
		}
		if n, ok := from[w][b.Test]; !ok || b.Bytes < n {
			from[w][b.Test] = b.Bytes
		}
	}
	for _, w := range order {
		tests := map[int][]string{}
		var sizes []int
		for test, n := range from[w] {
			if tests[n] == nil {
				sizes = append(sizes, n)
			}
			tests[n] = append(tests[n], test)
		}
		slices.Sort(sizes)
		var parts []string
		for _, n := range sizes {
			slices.Sort(tests[n])
			parts = append(parts, fmt.Sprintf("from %s on %s", bench.Number(n, "byte"), strings.Join(tests[n], ", ")))
		}
		notes = append(notes, fmt.Sprintf("%s on %s is too slow: bounded, left out are %s", w.name, bench.Number(w.ranks, "rank"), strings.Join(parts, "; ")))
	}
	return notes
}
