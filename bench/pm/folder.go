package pm

import (
	"errors"
	"fmt"
	"io"
	"path/filepath"
	"strconv"
	"strings"
	"time"

	"rhinet/bench"
	"rhinet/bench/host"
	"rhinet/bench/report"
)

// SaveScans writes a measurement of scans to a folder, with the machine and the command that made it.
func SaveScans(dir string, on host.Host, counts []int, budget time.Duration, rows []bench.Row) error {
	list := make([]string, len(counts))
	for i, n := range counts {
		list[i] = strconv.Itoa(n)
	}
	return errors.Join(
		bench.WriteFile(dir, "scan.csv", func(w io.Writer) error {
			p, err := bench.NewPrinter("csv", w)
			if err != nil {
				return err
			}
			for _, r := range rows {
				p.Row(r)
			}
			return p.Close()
		}),
		bench.WriteFile(dir, "host.json", func(w io.Writer) error { return bench.WriteJSON(w, []host.Host{on}) }),
		bench.WriteCommand(dir, fmt.Sprintf("bench pm scan DIR --rings %s --time %v", strings.Join(list, ","), budget)),
		report.SavePlot(filepath.Join(dir, "scan.svg"), func() (*report.Figure, error) { return scanPlot(rows) }))
}

// scanPlot draws the time of a pass over the number of rings, one curve for each kind of scan.
func scanPlot(rows []bench.Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		if n := len(curves); n == 0 || curves[n-1].Name != r.Test {
			curves = append(curves, report.Curve{Name: r.Test})
		}
		c := &curves[len(curves)-1]
		c.X, c.Y = append(c.X, float64(r.Ranks)), append(c.Y, r.Microsecs)
	}
	return report.ByNumber("scan", "P11: looking once into each of many rings", "rings", "µs", curves)
}
