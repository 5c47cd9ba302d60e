package report

import (
	"slices"
	"strings"

	"rhinet/bench/compare"
)

// A Matrix is an overview of all comparisons: two rows or so for each test, one for
// each peer, a column for each number of ranks and size, and in each cell the ratio
// of the times.
type Matrix struct {
	Ranks []Span   // the upper line of the head
	Sizes []string // the lower
	Tests []MatrixTest
}

// A Span is a number of ranks over some columns.
type Span struct{ Ranks, Columns int }

// A MatrixTest is what a matrix says of one test.
type MatrixTest struct {
	Test, Href string // the link leads to the group of plots
	Rows       []MatrixRow
}

// A MatrixRow is what it says of one peer.
type MatrixRow struct {
	Peer  string
	Cells []Cell
}

// A column of a matrix.
type column struct{ ranks, bytes int }

// matrix makes the overview, nil if there is nobody to compare with.
func matrix(list []set) *Matrix {
	if len(list) == 0 {
		return nil
	}
	m := &Matrix{}
	columns := columnsOf(list)
	for _, c := range columns {
		if n := len(m.Ranks); n == 0 || m.Ranks[n-1].Ranks != c.ranks {
			m.Ranks = append(m.Ranks, Span{Ranks: c.ranks})
		}
		m.Ranks[len(m.Ranks)-1].Columns++
		size := ""
		if c.bytes > 0 {
			size = strings.TrimSuffix(bytesText(c.bytes), "B") // narrower
		}
		m.Sizes = append(m.Sizes, size)
	}
	for _, s := range list {
		for _, g := range group(s.lines, func(l compare.Line) string { return l.Test }) {
			t := MatrixTest{Test: g.name, Href: "#" + groupID(s.part.ID, g.name)}
			for i, peer := range s.res.Peers() {
				t.Rows = append(t.Rows, MatrixRow{peer, m.row(s, g.name, len(s.res.Runtimes)-len(s.res.Peers())-1+i, columns)})
			}
			m.Tests = append(m.Tests, t)
		}
	}
	return m
}

// columnsOf are the sizes on each number of ranks; on one where no test has a size
// there is one column.
func columnsOf(list []set) (columns []column) {
	sized := map[int]bool{}
	for _, s := range list {
		for _, l := range s.lines {
			sized[l.Ranks] = sized[l.Ranks] || l.Bytes > 0
		}
	}
	for _, s := range list {
		for _, l := range s.lines {
			if c := (column{l.Ranks, l.Bytes}); (l.Bytes > 0 || !sized[l.Ranks]) && !slices.Contains(columns, c) {
				columns = append(columns, c)
			}
		}
	}
	slices.SortFunc(columns, func(a, b column) int {
		if a.ranks != b.ranks {
			return a.ranks - b.ranks
		}
		return a.bytes - b.bytes
	})
	return columns
}

// row makes the cells of one test against the peer whose ratios stand at a place. A
// test without sizes has one cell for each number of ranks, over all of its columns.
func (m *Matrix) row(s set, test string, peer int, columns []column) (cells []Cell) {
	cell := func(ranks, bytes int) Cell {
		i := slices.IndexFunc(s.lines, func(l compare.Line) bool { return l.Test == test && l.Ranks == ranks && l.Bytes == bytes })
		if i < 0 {
			return Cell{}
		}
		l := s.lines[i]
		c := ratioCell(timeRatio(l.Ratios[peer], l.Rate()))
		if l.Ratios[peer].Pairs == 0 {
			c = Cell{Text: "–", Class: "few"}
		}
		c.Href = "#" + rowID(s.part.ID, s.at[i])
		return c
	}
	if !slices.ContainsFunc(s.lines, func(l compare.Line) bool { return l.Test == test && l.Bytes > 0 }) {
		for _, span := range m.Ranks {
			c := cell(span.Ranks, 0)
			c.Columns, c.First = span.Columns, true
			cells = append(cells, c)
		}
		return cells
	}
	for i, c := range columns {
		k := cell(c.ranks, c.bytes)
		k.First = i == 0 || columns[i-1].ranks != c.ranks
		cells = append(cells, k)
	}
	return cells
}

func groupID(part, test string) string { return part + "-" + file(test) }
