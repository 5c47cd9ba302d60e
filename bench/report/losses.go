package report

import (
	"fmt"
	"math"
	"slices"

	"rhinet/bench/compare"
)

// A Loss is a cell in which a peer is faster according to the interval. Its cells are test, ranks, size,
// ratio, our time and the peer's, the peer, and the set.
type Loss struct {
	Cells []Cell
	times float64 // how many times slower the first runtime is, larger than 1
}

// losses lists the cells of a set in which the first runtime is slower than the faster of the peers, each
// with a link to its row.
func losses(s set) (list []Loss) {
	for i, l := range s.lines {
		r := timeRatio(l.Best(), l.Rate())
		if r.Verdict(false) != "slower" {
			continue
		}
		u := unitOf(l.Unit)
		list = append(list, Loss{times: r.Median, Cells: []Cell{
			{Text: l.Test, Href: "#" + rowID(s.part.ID, s.at[i])}, number(float64(l.Ranks)), size(l.Bytes),
			{Text: fmt.Sprintf("%.2f [%.2f %.2f]", r.Median, r.From, r.To), Key: fmt.Sprintf("%g", r.Median), Numeric: true, Class: "slower"},
			u.cell(l.Medians[0]), u.cell(l.Medians[l.Rival()]), {Text: s.res.Runtimes[l.Rival()], Class: "word"}, {Text: stem(s.part.File), Class: "word"},
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

// rowID returns the anchor of row i of a part's table.
func rowID(part string, i int) string { return fmt.Sprintf("%s-%d", part, i) }

// ratioCell returns a ratio of times as a cell of a table. For readers without colour, ▲ marks what is
// slower, and ≈ what shows no difference.
func ratioCell(r compare.Ratio) Cell {
	if math.IsNaN(r.Median) {
		return Cell{Text: "-", Numeric: true}
	}
	c := Cell{Text: ratioText(r.Median), Key: fmt.Sprintf("%g", r.Median), Numeric: true, Class: r.Verdict(false)}
	switch c.Class {
	case "slower":
		c.Text = "▲" + c.Text
	case "equal":
		c.Text = "≈" + c.Text
	case "?":
		c.Class = "few"
	}
	if r.Median < 0.5 || r.Median > 2 {
		c.Class += " much"
	}
	return c
}

// ratioText returns two digits behind the point, and fewer for values far from 1.
func ratioText(v float64) string {
	switch {
	case v < 0.01:
		return "<.01"
	case v < 10:
		return fmt.Sprintf("%.2f", v)
	case v < 1000:
		return fmt.Sprintf("%.0f", v)
	}
	return fmt.Sprintf("%.0fk", v/1000)
}
