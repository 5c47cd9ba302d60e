package timed

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
)

// A Row is one point of a curve, in virtual time.
type Row struct {
	Experiment string  `json:"experiment"`
	Series     string  `json:"series"`
	Nodes      int     `json:"nodes"`
	Bytes      int     `json:"bytes"`
	Usec       float64 `json:"usec"`        // of one transfer, message or round trip; 0 in a row of half the peak
	Rate       float64 `json:"MB_s"`        // payload of all flows that count
	Stated     float64 `json:"stated_usec"` // value in the specification; 0: none
	Deviation  float64 `json:"deviation_percent"`
}

func header() []string {
	return []string{"experiment", "series", "nodes", "bytes", "usec", "MB_s", "stated_usec", "deviation_percent"}
}

func (r Row) cells() []string {
	given, off := "", ""
	if r.Stated > 0 {
		given, off = number(r.Stated), fmt.Sprintf("%+.1f", r.Deviation)
	}
	return []string{r.Experiment, r.Series, strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes), number(r.Usec), number(r.Rate), given, off}
}

func number(v float64) string {
	if v == 0 {
		return ""
	}
	return strconv.FormatFloat(v, 'f', 3, 64)
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// Plot draws the curves of an experiment over the size: rates if the experiment measures any, otherwise
// times.
func Plot(e Experiment, rows []Row) (*report.Figure, error) {
	var curves []report.Curve
	rates := !slices.Contains([]string{"latency", "miss", "pm-pingpong"}, e.Name)
	for _, r := range rows {
		y := r.Usec
		if rates {
			y = r.Rate
		}
		if y == 0 || strings.HasSuffix(r.Series, "-half") {
			continue
		}
		if n := len(curves); n == 0 || curves[n-1].Name != r.Series {
			curves = append(curves, report.Curve{Name: r.Series})
		}
		c := &curves[len(curves)-1]
		c.X, c.Y = append(c.X, float64(r.Bytes)), append(c.Y, y)
	}
	y := "µs"
	if rates {
		y = "Mbyte/s"
	}
	return report.BySize("model-"+e.Name, e.IDs+": "+e.About, y, curves)
}
