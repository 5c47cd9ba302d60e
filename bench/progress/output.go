package progress

import (
	"io"
	"strconv"

	"rhinet/bench"
)

// Print writes rows in the format table, markdown, csv or json.
func Print(out io.Writer, format string, rows []bench.Row) error {
	var cells [][]string
	for _, r := range rows {
		unit := "usec"
		if IsPercent(r.Test) {
			unit = "%"
		}
		cells = append(cells, []string{r.Test, strconv.Itoa(r.Ranks), strconv.Itoa(r.Bytes), strconv.Itoa(r.Repetitions), strconv.FormatFloat(r.Microsecs, 'f', 3, 64), unit})
	}
	return bench.WriteRows(out, format, []string{"test", "ranks", "bytes", "repetitions", "value", "unit"}, cells, rows)
}
