package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"slices"
	"strings"
)

// WriteRows writes the same rows as a table ("table" or "markdown"), as "csv", or as "json": JSON from
// rows, the others from cells under the header.
func WriteRows[R any](out io.Writer, format string, header []string, cells [][]string, rows []R) error {
	switch format {
	case "table":
		return Table(out, header, cells)
	case "markdown":
		return Markdown(out, header, cells)
	case "csv":
		w := csv.NewWriter(out)
		if err := w.Write(header); err != nil {
			return err
		}
		return w.WriteAll(cells) // WriteAll flushes
	case "json":
		return WriteJSON(out, rows)
	}
	return fmt.Errorf("bench: rows are not written in the format %q", format)
}

// ModelFormats names the output formats of models: steps and virtual time are not for benchstat.
const ModelFormats = "table, csv, json"

// CheckModelFormat reports a format that is not one of ModelFormats, an ErrInput.
func CheckModelFormat(format string) error {
	if slices.Contains(strings.Split(ModelFormats, ", "), format) {
		return nil
	}
	return fmt.Errorf("%w: unknown format %q; the formats are %s", ErrInput, format, ModelFormats)
}

// WriteModel is WriteRows in one of ModelFormats; cells returns the cells of a row.
func WriteModel[R any](out io.Writer, format string, header []string, rows []R, cells func(R) []string) error {
	if err := CheckModelFormat(format); err != nil {
		return err
	}
	var all [][]string
	for _, r := range rows {
		all = append(all, cells(r))
	}
	return WriteRows(out, format, header, all, rows)
}

// Markdown prints rows under a header, numbers to the right.
func Markdown(out io.Writer, header []string, rows [][]string) error {
	var b strings.Builder
	fmt.Fprintf(&b, "| %s |\n|%s\n", strings.Join(header, " | "), strings.Repeat("---:|", len(header)))
	for _, row := range rows {
		fmt.Fprintf(&b, "| %s |\n", strings.Join(row, " | "))
	}
	_, err := io.WriteString(out, b.String())
	return err
}
