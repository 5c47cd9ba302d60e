package report

import (
	"slices"

	"rhinet/bench/compare"
)

// many is the number of lines from which on a part gets an overview, and its
// plots are put into groups.
const many = 60

// A Matrix is an overview of a large part: a row for each test, a column for
// each number of ranks and size, and in each cell the ratio to the better peer.
type Matrix struct {
	Ranks []Span   // the upper line of the head
	Sizes []string // the lower
	Rows  []MatrixRow
}

// A Span is a number of ranks over some columns.
type Span struct{ Ranks, Columns int }

// A MatrixRow is what a matrix says of one test.
type MatrixRow struct {
	Test, Href string // the link leads to the group of plots
	Cells      []Cell
}

// matrix makes the overview, nil if a part is small or has no peer.
func matrix(id string, res *compare.Result, lines []compare.Line) *Matrix {
	if len(lines) < many || len(res.Peers()) == 0 {
		return nil
	}
	m := &Matrix{}
	var columns []column
	sized := map[int]bool{} // numbers of ranks on which there are sizes
	for _, l := range lines {
		sized[l.Ranks] = sized[l.Ranks] || l.Bytes > 0
	}
	for _, l := range lines {
		if c := (column{l.Ranks, l.Bytes}); (l.Bytes > 0 || !sized[l.Ranks]) && !slices.Contains(columns, c) {
			columns = append(columns, c)
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		if a.ranks != b.ranks {
			return a.ranks - b.ranks
		}
		return a.bytes - b.bytes
	})
	for _, c := range columns {
		if n := len(m.Ranks); n == 0 || m.Ranks[n-1].Ranks != c.ranks {
			m.Ranks = append(m.Ranks, Span{Ranks: c.ranks})
		}
		m.Ranks[len(m.Ranks)-1].Columns++
		size := ""
		if c.bytes > 0 {
			size = bytesText(c.bytes)
		}
		m.Sizes = append(m.Sizes, size)
	}
	for _, g := range group(lines, func(l compare.Line) string { return l.Test }) {
		m.Rows = append(m.Rows, MatrixRow{g.name, "#" + groupID(id, g.name), m.row(id, g.lines, lines, columns)})
	}
	return m
}

// A column of a matrix.
type column struct{ ranks, bytes int }

// row makes the cells of one test. A test without sizes has one cell for each
// number of ranks, over all of its columns.
func (m *Matrix) row(id string, test, all []compare.Line, columns []column) (cells []Cell) {
	cell := func(ranks, bytes int) Cell {
		i := slices.IndexFunc(test, func(l compare.Line) bool { return l.Ranks == ranks && l.Bytes == bytes })
		if i < 0 {
			return Cell{}
		}
		l := test[i]
		c := ratioCell(l.Best(), l.Rate())
		if l.Best().Pairs > 0 {
			place := slices.IndexFunc(all, func(o compare.Line) bool { return o.Test == l.Test && o.Ranks == ranks && o.Bytes == bytes })
			c.Href = "#" + rowID(id, place)
		}
		return c
	}
	if !slices.ContainsFunc(test, func(l compare.Line) bool { return l.Bytes > 0 }) {
		for _, s := range m.Ranks {
			c := cell(s.Ranks, 0)
			c.Columns = s.Columns
			cells = append(cells, c)
		}
		return cells
	}
	for _, c := range columns {
		cells = append(cells, cell(c.ranks, c.bytes))
	}
	return cells
}

func groupID(part, test string) string { return part + "-" + file(test) }
