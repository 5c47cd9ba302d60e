package network

import (
	"io"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
	"rhinet/nicemu/param"
)

// A Row is one point of a curve. Rates are payload per host.
type Row struct {
	Traffic  string  `json:"traffic"`
	Load     float64 `json:"load"` // fraction of a link's data rate
	Hosts    int     `json:"hosts"`
	Bytes    int     `json:"bytes"`
	Packets  uint64  `json:"packets"`       // that arrived
	Offered  float64 `json:"offered_MB_s"`  // given to the network
	Accepted float64 `json:"accepted_MB_s"` // arrived
	Mean     float64 `json:"mean_usec"`     // from the sender's queue to the last flit
	Median   float64 `json:"median_usec"`
	P99      float64 `json:"p99_usec"`
	Busiest  float64 `json:"busiest_link"` // utilisation, 0 to 1
	Inside   float64 `json:"inside"`       // mean number of packets in flight
	Little   float64 `json:"little"`       // arrival rate times mean latency: equal to Inside in a steady state
	Resent   uint64  `json:"resent_flits"` // since the start
	Damaged  uint64  `json:"damaged"`
}

func header() []string {
	return []string{"traffic", "load", "hosts", "bytes", "packets", "offered_MB_s", "accepted_MB_s", "mean_usec", "median_usec", "p99_usec", "busiest_link",
		"inside", "little", "resent_flits", "damaged"}
}

func (r Row) cells() []string {
	f := func(v float64, digits int) string { return strconv.FormatFloat(v, 'f', digits, 64) }
	return []string{r.Traffic, strconv.FormatFloat(r.Load, 'g', -1, 64), strconv.Itoa(r.Hosts), strconv.Itoa(r.Bytes), strconv.FormatUint(r.Packets, 10),
		f(r.Offered, 2), f(r.Accepted, 2), f(r.Mean, 4), f(r.Median, 4), f(r.P99, 4), f(r.Busiest, 4), f(r.Inside, 3), f(r.Little, 3),
		strconv.FormatUint(r.Resent, 10), strconv.FormatUint(r.Damaged, 10)}
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	return bench.WriteModel(out, format, header(), rows, Row.cells)
}

// A parameter is a row of the table of parameters.
type parameter struct {
	Name   string `json:"name"`
	Value  string `json:"value"`
	Unit   string `json:"unit"`
	About  string `json:"about"`
	Source string `json:"source"`
}

// WriteParameters writes the table of parameters in one of bench.ModelFormats.
func WriteParameters(out io.Writer, format string, t *param.Table) error {
	var rows []parameter
	for _, p := range t.All() {
		r := parameter{p.Name, p.Text(), p.Unit, p.About, p.Source}
		if p.Choices != nil {
			r.Unit = strings.Join(p.Choices, " or ")
		}
		rows = append(rows, r)
	}
	return bench.WriteModel(out, format, []string{"name", "value", "unit", "about", "source"}, rows, func(r parameter) []string {
		return []string{r.Name, r.Value, r.Unit, r.About, r.Source}
	})
}

// Plot draws latency over load, a line for each kind of traffic.
func Plot(title string, rows []Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		if r.Packets == 0 {
			continue
		}
		if n := len(curves); n == 0 || curves[n-1].Name != r.Traffic {
			curves = append(curves, report.Curve{Name: r.Traffic})
		}
		c := &curves[len(curves)-1]
		c.X, c.Y = append(c.X, r.Load), append(c.Y, r.Mean)
	}
	return report.Lines("network-load", title, "offered load (part of a link's data rate)", "mean latency (µs)", curves)
}
