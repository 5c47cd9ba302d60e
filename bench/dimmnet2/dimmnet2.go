// Package dimmnet2 measures the timed model of DIMMnet-2, in virtual time, as its board was measured
// (dimmnet2, section 12).
package dimmnet2

import (
	"fmt"
	"io"
	"slices"
	"strconv"
	"strings"

	"rhinet/bench"
	"rhinet/bench/report"
	nic "rhinet/nicemu/dimmnet2"
	"rhinet/nicemu/dimmnet2/timed"
	"rhinet/nicemu/param"
	"rhinet/nicemu/vtime"
)

// A Row is a point of a curve.
type Row struct {
	Test  string  `json:"test"`
	Curve string  `json:"curve"`
	Bytes int     `json:"bytes"` // of data
	Time  float64 `json:"usec"`

	// Further figures of an experiment that counts.
	Commands int `json:"commands,omitempty"`   // that hosts issue
	Packets  int `json:"packets,omitempty"`    // between boards
	Carried  int `json:"link_bytes,omitempty"` // of these, with headers
}

func (r Row) cells() []string {
	cells := []string{r.Test, r.Curve, strconv.Itoa(r.Bytes), strconv.FormatFloat(r.Time, 'f', 4, 64)}
	if r.Packets > 0 {
		cells = append(cells, strconv.Itoa(r.Commands), strconv.Itoa(r.Packets), strconv.Itoa(r.Carried))
	}
	return cells
}

// An experiment measures all its curves at one size.
type experiment struct {
	name string
	most int // bytes
	take func(m *timed.Model, n int, put func(curve string, t vtime.Time)) error
	// count replaces take in an experiment that counts.
	count func(m *timed.Model, n int, put func(Row)) error
}

var experiments = []experiment{
	{name: "send", most: timed.MostData, take: func(m *timed.Model, n int, put func(string, vtime.Time)) error {
		l, err := m.Send(n)
		put("measured", l.Measured)
		put("theoretical", l.Theoretical)
		return err
	}},
	{name: "stream", most: 3 * timed.MostData, take: func(m *timed.Model, n int, put func(string, vtime.Time)) error {
		for windows, curve := range []string{"one window", "two windows"} {
			t, err := m.Stream(n, windows+1)
			if err != nil {
				return err
			}
			put(curve, t)
		}
		return nil
	}},
	{name: "receive", most: timed.MostData, take: func(m *timed.Model, n int, put func(string, vtime.Time)) error {
		pw, err := m.Receive(nic.InPW, n)
		if err != nil {
			return err
		}
		dimm, err := m.Receive(nic.InDIMM, n)
		put("PW measured", pw.Measured)
		put("SO-DIMM measured", dimm.Measured)
		put("PW theoretical", pw.Theoretical)
		return err
	}},
	{name: "vectors", most: 2 * nic.WindowBytes, count: func(m *timed.Model, n int, put func(Row)) error {
		return m.Accesses(n/timed.Element, func(way string, c timed.Cost) {
			put(Row{Curve: way, Time: c.Time.Microseconds(), Commands: c.Commands, Packets: c.Packets, Carried: c.Bytes})
		})
	}},
}

// step is the distance between sizes, in bytes.
const step = 8

// Names returns the names of the experiments.
func Names() (names []string) {
	for _, e := range experiments {
		names = append(names, e.name)
	}
	return names
}

// Run runs an experiment with the numbers of a table of timed.Parameters.
func Run(name string, table *param.Table) (rows []Row, err error) {
	i := slices.IndexFunc(experiments, func(e experiment) bool { return e.name == name })
	if i < 0 {
		return nil, fmt.Errorf("%w: no experiment %q; there is %s", bench.ErrInput, name, strings.Join(Names(), ", "))
	}
	m, err := timed.New(table)
	if err != nil {
		return nil, err
	}
	e := &experiments[i]
	take := e.count
	if take == nil {
		take = func(m *timed.Model, n int, put func(Row)) error {
			return e.take(m, n, func(curve string, t vtime.Time) { put(Row{Curve: curve, Time: t.Microseconds()}) })
		}
	}
	for n := step; n <= e.most; n += step {
		if err := take(m, n, func(r Row) {
			r.Test, r.Bytes = e.name, n
			rows = append(rows, r)
		}); err != nil {
			return nil, err
		}
	}
	return rows, nil
}

// Write writes rows in one of bench.ModelFormats.
func Write(out io.Writer, format string, rows []Row) error {
	columns := []string{"test", "curve", "bytes", "usec"}
	if rows[0].Packets > 0 {
		columns = append(columns, "commands", "packets", "link_bytes")
	}
	return bench.WriteModel(out, format, columns, rows, Row.cells)
}

// Plot draws the curves of one experiment.
func Plot(rows []Row) (*report.Figure, error) {
	var curves []report.Curve
	for _, r := range rows {
		i := slices.IndexFunc(curves, func(c report.Curve) bool { return c.Name == r.Curve })
		if i < 0 {
			i, curves = len(curves), append(curves, report.Curve{Name: r.Curve})
		}
		curves[i].X, curves[i].Y = append(curves[i].X, float64(r.Bytes)), append(curves[i].Y, r.Time)
	}
	return report.Lines("dimmnet2-"+rows[0].Test, "DIMMnet-2: "+rows[0].Test, "data (bytes)", "time (µs)", curves)
}
