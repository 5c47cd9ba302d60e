package cenju4

import (
	"io"
	"slices"
	"strconv"

	"rhinet/bench"
	"rhinet/bench/report"
	"rhinet/nicemu/vtime"
)

// A Row is one point of a curve.
type Row struct {
	Experiment string  `json:"experiment"`
	Curve      string  `json:"curve"`
	Nodes      int     `json:"nodes"`
	Bytes      int     `json:"bytes,omitempty"`
	Time       float64 `json:"usec"`           // one way; N-to-N: until all nodes have everything; barrier: until the last node continues
	Rate       float64 `json:"MB_s,omitempty"` // 10^6 bytes per second; N-to-N: for each node
	Ratio      float64 `json:"ratio"`          // time of the first curve at this point over the time of this curve
}

func header() []string {
	return []string{"experiment", "curve", "nodes", "bytes", "usec", "MB_s", "ratio"}
}

func (r Row) cells() []string {
	f := func(v float64) string { return strconv.FormatFloat(v, 'f', 3, 64) }
	return []string{r.Experiment, r.Curve, strconv.Itoa(r.Nodes), strconv.Itoa(r.Bytes), f(r.Time), f(r.Rate), f(r.Ratio)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// row makes a row.
func (p *Plan) row(curve string, nodes, bytes int, took vtime.Time) Row {
	r := Row{Experiment: p.Experiment, Curve: curve, Nodes: nodes, Bytes: bytes, Time: took.Microseconds()}
	if bytes > 0 && took > 0 {
		r.Rate = float64(bytes) / r.Time
	}
	return r
}

// Compare fills in the ratios of all rows to the first row with the same nodes and bytes.
func Compare(rows []Row) {
	for i := range rows {
		first := slices.IndexFunc(rows, func(r Row) bool { return r.Nodes == rows[i].Nodes && r.Bytes == rows[i].Bytes })
		if rows[i].Time > 0 {
			rows[i].Ratio = rows[first].Time / rows[i].Time
		}
	}
}

// Plot draws a line for each curve: latency and barriers as time, the others as rate; over the nodes if
// these vary, otherwise over the sizes.
func Plot(rows []Row) (*report.Figure, error) {
	name := rows[0].Experiment
	overNodes := slices.ContainsFunc(rows, func(r Row) bool { return r.Nodes != rows[0].Nodes })
	rate := name != "latency" && name != "barrier"
	var curves []report.Curve
	for _, r := range rows {
		i := slices.IndexFunc(curves, func(c report.Curve) bool { return c.Name == r.Curve })
		if i < 0 {
			i, curves = len(curves), append(curves, report.Curve{Name: r.Curve})
		}
		x, y := float64(r.Bytes), r.Time
		if overNodes {
			x = float64(r.Nodes)
		}
		if rate {
			y = r.Rate
		}
		curves[i].X, curves[i].Y = append(curves[i].X, x), append(curves[i].Y, y)
	}
	x, y := "bytes", "time (µs)"
	if overNodes {
		x = "nodes"
	}
	if rate {
		y = "MB/s"
	}
	return report.Lines("cenju4-"+name, "Cenju-4: "+name, x, y, curves)
}
