package pmb

import (
	"encoding/csv"
	"fmt"
	"io"
	"strconv"
	"strings"
)

// ContestFormats names the formats of [NewContestPrinter].
const ContestFormats = "imb, csv"

// NewContestPrinter returns a function that prints contests in a format of ContestFormats, as they come.
func NewContestPrinter(format string, out io.Writer) (func(Contest) error, error) {
	switch format {
	case "imb":
		return func(c Contest) error { return c.print(out) }, nil
	case "csv":
		started := false
		return func(c Contest) error {
			w := csv.NewWriter(out)
			if !started {
				started = true
				w.Write([]string{"operation", "ranks", "bytes", "block", "algorithm", "t_avg_usec", "chosen"})
			}
			c.each(func(row ContestRow, name string, usec float64) {
				w.Write([]string{c.Operation, strconv.Itoa(c.Ranks), strconv.Itoa(row.Bytes), strconv.Itoa(row.Block), name,
					strconv.FormatFloat(usec, 'f', 4, 64), strconv.FormatBool(name == row.Chosen)})
			})
			w.Flush()
			return w.Error()
		}, nil
	}
	return nil, fmt.Errorf("unknown format %q; the formats of --algorithms are %s", format, ContestFormats)
}

// each calls f for every figure.
func (c Contest) each(f func(row ContestRow, name string, usec float64)) {
	for _, row := range c.Rows {
		for i, name := range c.Algorithms {
			if row.Usec[i] >= 0 {
				f(row, name, row.Usec[i])
			}
		}
	}
}

// print writes the contest as a table with columns of 13 characters, or more if a name needs them.
func (c Contest) print(out io.Writer) error {
	width := 13
	for _, name := range c.Algorithms {
		width = max(width, len(name)+4)
	}
	var b strings.Builder
	rule := "#" + strings.Repeat("-", 25+width*len(c.Algorithms)) + "\n"
	fmt.Fprintf(&b, "\n%s# Algorithms of %s \n# #processes = %d \n", rule, c.Test, c.Ranks)
	fmt.Fprintf(&b, "# t_avg[usec] of each, median of %d rounds; * serves such calls as things are, < is the fastest\n%s", rounds, rule)
	fmt.Fprintf(&b, "%13s%13s", "#bytes", "#block")
	for _, name := range c.Algorithms {
		fmt.Fprintf(&b, "%*s  ", width-2, name)
	}
	b.WriteString("\n")
	for _, row := range c.Rows {
		fmt.Fprintf(&b, "%13d%13d", row.Bytes, row.Block)
		fastest := row.fastest()
		for i, name := range c.Algorithms {
			if row.Usec[i] < 0 {
				fmt.Fprintf(&b, "%*s  ", width-2, "-")
				continue
			}
			marks := [2]byte{' ', ' '}
			if name == row.Chosen {
				marks[0] = '*'
			}
			if i == fastest {
				marks[1] = '<'
			}
			fmt.Fprintf(&b, "%*.2f%s", width-2, row.Usec[i], marks[:])
		}
		b.WriteString("\n")
	}
	_, err := io.WriteString(out, b.String())
	return err
}

// fastest returns the index of the smallest figure, -1 if there is none.
func (row ContestRow) fastest() int {
	best := -1
	for i, usec := range row.Usec {
		if usec >= 0 && (best < 0 || usec < row.Usec[best]) {
			best = i
		}
	}
	return best
}
