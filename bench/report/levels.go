package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
)

// A row is what `bench NAME --format json` prints for a size, at any level:
// NIC, PM, MPI or the suite.
type row struct {
	Test  string  `json:"test"`
	Ranks int     `json:"ranks"`
	Bytes int     `json:"bytes"`
	Usec  float64 `json:"usec"`
	Avg   float64 `json:"t_avg_usec"` // the suite's
}

// parseRows reads a file of rows; ok tells whether it is one.
func parseRows(text []byte) (rows []row, ok bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) || json.Unmarshal(text, &rows) != nil || len(rows) == 0 {
		return nil, false
	}
	for i := range rows {
		if rows[i].Usec == 0 {
			rows[i].Usec = rows[i].Avg
		}
		if rows[i].Test == "" || rows[i].Ranks < 1 {
			return nil, false
		}
	}
	return rows, true
}

// A series is one measurement over its sizes.
type series struct {
	name   string
	points plotter.XYs
}

// levels makes one part of all files of rows, so that one plot shows what
// each layer adds to the one below.
func levels(id string, sources []Source) (*Part, error) {
	p := &Part{ID: id, File: "levels", Legend: "Times of single measurements at several levels, each the median of its batches. They were not taken in rotated order: differences of a few tens of percent mean nothing",
		Header: []string{"file", "test", "ranks", "bytes", "µs"}}
	var all []*series
	byName := map[string]*series{}
	for _, s := range sources {
		stem := strings.TrimSuffix(s.File, ".json")
		for _, r := range s.rows {
			p.Rows = append(p.Rows, []Cell{{Text: stem}, {Text: r.Test}, number(float64(r.Ranks), "%.0f"), number(float64(r.Bytes), "%.0f"), number(r.Usec, digits(r.Usec))})
			name := fmt.Sprintf("%s: %s, %d ranks", stem, r.Test, r.Ranks)
			if byName[name] == nil {
				byName[name] = &series{name: name}
				all = append(all, byName[name])
			}
			if r.Bytes > 0 && r.Usec > 0 {
				byName[name].points = append(byName[name].points, plotter.XY{X: float64(r.Bytes), Y: r.Usec})
			}
		}
		p.Links = append(p.Links, link(s.File, "application/json", s.File, s.Text))
	}
	var curves []*series
	for _, s := range all {
		if len(s.points) > 1 {
			curves = append(curves, s)
		}
	}
	for part := 0; len(curves) > 0; part++ {
		n := min(len(looks), len(curves))
		if err := p.levelFigures(part, curves[:n]); err != nil {
			return nil, err
		}
		curves = curves[n:]
	}
	return p, nil
}

// levelFigures adds the time and the bandwidth of some series.
func (p *Part) levelFigures(part int, list []*series) error {
	suffix := ""
	if part > 0 {
		suffix = fmt.Sprintf("-%d", part+1)
	}
	times := newFigure("levels-time"+suffix, "levels: time", "message size (bytes)", "time (µs)")
	rates := newFigure("levels-bandwidth"+suffix, "levels: bandwidth", "message size (bytes)", "size / time (MB/s)")
	for i, s := range list {
		var r plotter.XYs
		for _, xy := range s.points {
			r = append(r, plotter.XY{X: xy.X, Y: xy.X / xy.Y})
		}
		if err := times.line(i, s.name, s.points); err != nil {
			return err
		}
		if err := rates.line(i, s.name, r); err != nil {
			return err
		}
	}
	for _, f := range []*Figure{times, rates} {
		f.logarithmic(plot.TickerFunc(sizes), len(list))
		p.Figures = append(p.Figures, f)
	}
	return nil
}
