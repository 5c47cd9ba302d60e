package virtual

import (
	"io"
	"strconv"

	"rhinet/bench"
	"rhinet/bench/report"
)

// A Row is the result of a cell. Its time is virtual; the last two figures are about the machine of the
// simulation.
type Row struct {
	Cell
	Usec    float64 `json:"usec"`    // from the start to the end of the last rank
	Packets uint64  `json:"packets"` // including those at the end of the job
	Events  uint64  `json:"events"`  // of the model
	Seconds float64 `json:"host_seconds"`
	Memory  float64 `json:"host_MB_rank"` // maximum memory of the process, per rank
}

func header() []string {
	return []string{"model", "operation", "algorithm", "ranks", "bytes", "usec", "packets", "events", "host_seconds", "host_MB_rank"}
}

func (r Row) cells() []string {
	part := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{r.Model, r.Operation, r.Algorithm, strconv.Itoa(r.Ranks), strconv.Itoa(r.Bytes), part(r.Usec, 3),
		strconv.FormatUint(r.Packets, 10), strconv.FormatUint(r.Events, 10), part(r.Seconds, 2), part(r.Memory, 2)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// Plot draws the times of one model over the size, a curve for each algorithm.
func Plot(title string, rows []Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		if n := len(curves); n == 0 || curves[n-1].Name != r.Algorithm {
			curves = append(curves, report.Curve{Name: r.Algorithm})
		}
		c := &curves[len(curves)-1]
		c.X, c.Y = append(c.X, float64(r.Bytes)), append(c.Y, r.Usec)
	}
	return report.BySize("model-collectives", title, "µs", curves)
}
