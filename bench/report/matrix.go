package report

import (
	"slices"
	"strings"

	"rhinet/bench/compare"
)

// A Matrix is an overview of all comparisons together: it has one row for each test and peer, a column for
// each number of ranks and size, and in each cell the ratio of the times.
type Matrix struct {
	Ranks []Span   // the upper line of the head
	Sizes []string // the lower
	Tests []MatrixTest
}

// A Span is a number of ranks over some columns.
type Span struct{ Ranks, Columns int }

// A MatrixTest is the part of a matrix about one test.
type MatrixTest struct {
	Test, Href string // the link points to the group of plots of the largest set
	Rows       []MatrixRow
}

// A MatrixRow is the part of it about one peer.
type MatrixRow struct {
	Peer  string
	Cells []Cell
}

// A column of a matrix.
type column struct{ ranks, bytes int }

// matrix makes the overview, nil if there is nothing to compare.
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
			if slices.ContainsFunc(m.Tests, func(t MatrixTest) bool { return t.Test == g.name }) {
				continue
			}
			t := MatrixTest{Test: g.name, Href: "#" + groupID(s.part.ID, g.name)}
			for _, peer := range peersOf(list, g.name) {
				t.Rows = append(t.Rows, MatrixRow{peer, m.row(list, g.name, peer, columns)})
			}
			m.Tests = append(m.Tests, t)
		}
	}
	return m
}

// peersOf returns the peers with which any set compares in a test.
func peersOf(list []set, test string) (peers []string) {
	for _, s := range list {
		if !s.has(test) {
			continue
		}
		for _, p := range s.res.Peers() {
			if !slices.Contains(peers, p) {
				peers = append(peers, p)
			}
		}
	}
	return peers
}

// has reports whether the matrix shows a test of the set.
func (s *set) has(test string) bool {
	return slices.ContainsFunc(s.lines, func(l compare.Line) bool { return l.Test == test })
}

// columnsOf returns the sizes for each number of ranks; for one where no test has a size there is one
// column.
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

// row makes the cells of one test against one peer, each from the first set that has measured it. A test
// without sizes has one cell for each number of ranks, spanning all of its columns.
func (m *Matrix) row(list []set, test, peer string, columns []column) (cells []Cell) {
	cell := func(ranks, bytes int) Cell {
		for _, s := range list {
			if c, measured := s.cell(test, peer, column{ranks, bytes}); measured {
				return c
			}
		}
		return Cell{}
	}
	sized := func(s set) bool {
		return slices.ContainsFunc(s.lines, func(l compare.Line) bool { return l.Test == test && l.Bytes > 0 })
	}
	if !slices.ContainsFunc(list, sized) {
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

// cell returns what a set has measured of a test in comparison with a peer, if anything.
func (s *set) cell(test, peer string, at column) (c Cell, measured bool) {
	i := slices.IndexFunc(s.lines, func(l compare.Line) bool { return l.Test == test && l.Ranks == at.ranks && l.Bytes == at.bytes })
	p := slices.Index(s.res.Peers(), peer)
	if i < 0 || p < 0 {
		return Cell{}, false
	}
	r := s.lines[i].Ratios[len(s.res.Runtimes)-len(s.res.Peers())-1+p]
	if c = ratioCell(timeRatio(r, s.lines[i].Rate())); r.Pairs == 0 {
		c = Cell{Text: "–", Class: "few"}
	}
	c.Href = "#" + rowID(s.part.ID, s.at[i])
	return c, true
}

func groupID(part, test string) string { return part + "-" + file(test) }
