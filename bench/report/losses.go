package report

import (
	"fmt"
	"math"
	"slices"

	"rhinet/bench/compare"
)

// A Loss is a cell in which the interval says that a peer is faster.
type Loss struct {
	Cells []Cell
	times float64 // how many times slower the first runtime is, above 1
}

// lossHeader names the columns of the list of losses.
var lossHeader = []string{"test", "ranks", "bytes", "times slower [95 %]", "ours", "the better peer", "", "unit", "set"}

// losses lists the lines of a part in which the first runtime is slower than
// the better of the peers, each with a link to its row.
func losses(id, stem string, res *compare.Result, lines []compare.Line) (list []Loss) {
	if len(res.Peers()) == 0 {
		return nil
	}
	for i, l := range lines {
		r := l.Best()
		if r.Verdict(l.Rate()) != "slower" {
			continue
		}
		times, from, to := r.Median, r.From, r.To
		if l.Rate() {
			times, from, to = 1/times, 1/to, 1/from
		}
		mine, peer := l.Medians[0], l.Medians[l.Rival()]
		list = append(list, Loss{times: times, Cells: []Cell{
			{Text: l.Test, Href: "#" + rowID(id, i)}, number(float64(l.Ranks), "%.0f"), number(float64(l.Bytes), "%.0f"),
			{Text: fmt.Sprintf("%.2f [%.2f %.2f]", times, from, to), Key: fmt.Sprintf("%g", times), Numeric: true, Class: "slower"},
			number(mine, digits(mine)), {Text: res.Runtimes[l.Rival()]}, number(peer, digits(peer)), {Text: l.Unit}, {Text: stem},
		}})
	}
	return list
}

// worstFirst sorts losses of all parts.
func worstFirst(list []Loss) {
	slices.SortStableFunc(list, func(a, b Loss) int {
		switch {
		case a.times > b.times:
			return -1
		case a.times < b.times:
			return 1
		}
		return 0
	})
}

// rowID is the name by which links find row i of a part's table.
func rowID(part string, i int) string { return fmt.Sprintf("%s-%d", part, i) }

// ratioCell is a ratio as one cell of a table.
func ratioCell(r compare.Ratio, rate bool) Cell {
	c := number(r.Median, "%.2f")
	if math.IsNaN(r.Median) {
		return c
	}
	c.Class = r.Verdict(rate)
	if c.Class == "?" {
		c.Class = "few"
	}
	return c
}
