package compare

import (
	"encoding/csv"
	"encoding/json"
	"fmt"
	"io"
	"math"
	"strconv"
	"strings"

	"rhinet/bench"
)

// Formats names the output formats of a comparison.
const Formats = "table, markdown, csv, json"

// CheckFormat reports whether format is one of Formats.
func CheckFormat(format string) error {
	switch format {
	case "table", "markdown", "csv", "json":
		return nil
	}
	return fmt.Errorf("unknown format %q; the formats are %s", format, Formats)
}

// Write prints the comparison in a format that CheckFormat accepts.
func (res *Result) Write(out io.Writer, format string) error {
	switch format {
	case "json":
		return res.Encode(out)
	case "csv":
		w := csv.NewWriter(out)
		w.Write(res.header())
		w.WriteAll(res.table(false))
		return w.Error()
	case "markdown":
		return res.markdown(out)
	}
	fmt.Fprintln(out, res.Host)
	fmt.Fprintf(out, "%d rounds in rotated order, %s a size; microseconds (memory: KiB a rank); ratio = ours / other, median [quartiles] of the rounds\n", res.Rounds, res.Budget)
	if err := bench.Table(out, res.header(), res.table(true)); err != nil {
		return err
	}
	for _, n := range res.Notes {
		fmt.Fprintln(out, "note:", n)
	}
	return nil
}

// Encode writes the result file.
func (res *Result) Encode(out io.Writer) error {
	e := json.NewEncoder(out)
	e.SetIndent("", " ")
	return e.Encode(res)
}

func (res *Result) header() []string {
	h := append([]string{"test", "ranks", "bytes"}, res.Runtimes...)
	for _, name := range res.Runtimes[1:] {
		h = append(h, "/ "+name)
	}
	return append(h, "/ better")
}

func (res *Result) table(quartiles bool) [][]string {
	var rows [][]string
	for _, l := range res.Lines() {
		row := []string{l.Test, strconv.Itoa(l.Ranks), strconv.Itoa(l.Bytes)}
		for _, m := range l.Medians {
			row = append(row, number(m))
		}
		for _, r := range append(l.Ratios, l.Best()) {
			text := "-"
			if !math.IsNaN(r.Median) {
				text = fmt.Sprintf("%.2f", r.Median)
				if quartiles {
					text += fmt.Sprintf(" [%.2f %.2f]", r.Low, r.High)
				}
			}
			row = append(row, text)
		}
		rows = append(rows, row)
	}
	return rows
}

func number(v float64) string {
	switch {
	case math.IsNaN(v):
		return "-"
	case v < 100:
		return fmt.Sprintf("%.3f", v)
	}
	return fmt.Sprintf("%.0f", v)
}

func (res *Result) markdown(out io.Writer) error {
	h := res.header()
	fmt.Fprintf(out, "%s\n\n%d rounds in rotated order, %s a size; microseconds (memory: KiB a rank); ratio = ours / other, median [quartiles] of the rounds.\n\n", res.Host, res.Rounds, res.Budget)
	fmt.Fprintf(out, "| %s |\n|%s\n", strings.Join(h, " | "), strings.Repeat("---:|", len(h)))
	for _, row := range res.table(true) {
		fmt.Fprintf(out, "| %s |\n", strings.Join(row, " | "))
	}
	for _, n := range res.Notes {
		fmt.Fprintf(out, "\nnote: %s\n", n)
	}
	return nil
}
