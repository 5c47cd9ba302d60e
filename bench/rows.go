package bench

import (
	"encoding/csv"
	"fmt"
	"io"
)

// WriteRows writes the same rows as a table for people ("table"), as "csv", or as
// "json": the first two from cells under the header, the last from rows.
func WriteRows[R any](out io.Writer, format string, header []string, cells [][]string, rows []R) error {
	switch format {
	case "table":
		return Table(out, header, cells)
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
