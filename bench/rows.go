package bench

import (
	"encoding/csv"
	"fmt"
	"io"
	"strings"
)

// WriteRows writes the same rows as a table for people ("table" or "markdown"), as
// "csv", or as "json": the last from rows, the others from cells under the header.
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
		return w.WriteAll(cells) // which flushes
	case "json":
		return WriteJSON(out, rows)
	}
	return fmt.Errorf("bench: rows are not written in the format %q", format)
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
