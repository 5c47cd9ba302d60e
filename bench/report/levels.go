package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"

	"rhinet/bench"
)

// A row is what `bench NAME --format json` prints for a size, at any level: NIC, PM, the communication
// library, MPI or the suite.
type row struct {
	bench.Row
	Avg float64 `json:"t_avg_usec"` // for the suite, over the ranks
	Min float64 `json:"t_min_usec"`
	Max float64 `json:"t_max_usec"`
}

// parseRows parses a file of rows; ok tells whether it is one.
func parseRows(text []byte) (rows []row, ok bool) {
	if !bytes.HasPrefix(bytes.TrimSpace(text), []byte("[")) || json.Unmarshal(text, &rows) != nil || len(rows) == 0 {
		return nil, false
	}
	for i := range rows {
		r := &rows[i]
		switch {
		case r.Microsecs == 0:
			r.Microsecs, r.Least, r.Most = r.Avg, r.Min, r.Max
		case r.Most == 0: // of before the two were kept
			r.Least, r.Most = r.Microsecs*(1-r.Spread/2), r.Microsecs*(1+r.Spread/2)
		}
		if r.Test == "" || r.Ranks < 1 {
			return nil, false
		}
	}
	return rows, true
}

// A series is one measurement over its sizes.
type series struct {
	test   string
	ranks  int
	points []point
	oneWay []point // by the rate, which counts every message of a repetition
}

// levels makes one part from all files of rows. Its plot has one way of a ping-pong at each layer, and so
// shows the cost of each layer; groups have the contents of each file.
func levels(id string, sources []Source) (*Part, error) {
	p := &Part{ID: id, File: "levels", Legend: "Times of single measurements at several levels, each the median of its batches; whiskers go from the fastest batch to the slowest. They were not taken in rotated order: differences of a few tens of percent mean nothing",
		Header: []string{"file", "test", "ranks", "bytes", "time"}}
	var all []*series
	for _, s := range sources {
		stem := strings.TrimSuffix(s.File, ".json")
		list := seriesOf(s.rows)
		all = append(all, list...)
		for _, r := range s.rows {
			p.Rows = append(p.Rows, []Cell{{Text: stem}, {Text: r.Test}, number(float64(r.Ranks)), number(float64(r.Bytes)), times.cell(r.Microsecs)})
		}
		p.Links = append(p.Links, link(s.File, "application/json", s.File, s.Text))
		g := Group{ID: groupID(id, stem), Name: stem}
		list = slices.DeleteFunc(list, func(s *series) bool { return len(s.points) < 2 })
		for len(list) > 0 {
			n := together(list)
			if err := g.levelFigures(list[:n]); err != nil {
				return nil, err
			}
			list = list[n:]
		}
		if len(g.Figures) > 0 {
			p.Groups = append(p.Groups, g)
		}
	}
	return p, p.layers(all)
}

// seriesOf groups the rows of a file.
func seriesOf(rows []row) (list []*series) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(s *series) bool { return s.test == r.Test && s.ranks == r.Ranks })
		if i < 0 {
			i = len(list)
			list = append(list, &series{test: r.Test, ranks: r.Ranks})
		}
		if r.Bytes == 0 || r.Microsecs <= 0 {
			continue
		}
		p := point{float64(r.Bytes), r.Microsecs, r.Least, r.Most}
		list[i].points = append(list[i].points, p)
		if r.MBPerSec > 0 {
			scale := p.x / r.MBPerSec / p.y
			list[i].oneWay = append(list[i].oneWay, point{p.x, p.y * scale, p.from * scale, p.to * scale})
		}
	}
	return list
}

// together returns how many of the series of a file share the first plot: all if they can be distinguished,
// or else those of one test, or of one number of ranks.
func together(list []*series) int {
	if len(list) <= fewLooks {
		return len(list)
	}
	n, m := 1, 1
	for n < fewLooks && list[n].test == list[0].test {
		n++
	}
	for m < fewLooks && list[m].ranks == list[0].ranks {
		m++
	}
	return max(n, m)
}

// The layers in the plot of levels, from the lowest up, each with the test that represents it.
var layerTests = []struct{ test, name string }{
	{"push", "NIC: remote write (PUSH)"},
	{"rhinet-pingpong", "message layer: PM/RHiNET"},
	{"llc-pingpong", "communication library: llc"},
	{"PingPong", "MPI: PingPong"},
}

// earlier is the name of an earlier ping-pong that sent from its receive buffer.
const earlier = "pingpong"

// layers adds the plot of one way between two ranks, if there are two layers.
func (p *Part) layers(all []*series) error {
	f := newFigure("levels", "one way between two, level by level", messages.axis, times.axis)
	f.width, f.height = 1.5*width, 1.2*height
	for i, layer := range layerTests {
		at := slices.IndexFunc(all, func(s *series) bool { return s.test == layer.test && s.ranks == 2 && len(s.oneWay) > 1 })
		if at < 0 {
			continue
		}
		if err := f.line(i, layer.name, all[at].oneWay); err != nil {
			return err
		}
	}
	if slices.ContainsFunc(all, func(s *series) bool { return s.test == earlier }) {
		p.Remarks = append(p.Remarks, earlier+" is not in the plot of all levels: it sent from the buffer that it received in, and PingPong of the suite does not")
	}
	if f.drawn > 1 {
		f.logarithmic(plot.TickerFunc(messages.binary), times)
		p.Figures = append(p.Figures, f)
	}
	return nil
}

// levelFigures adds the time and the bandwidth of some series of a file.
func (g *Group) levelFigures(list []*series) error {
	title, oneTest := g.Name, true
	for _, s := range list {
		oneTest = oneTest && s.test == list[0].test
	}
	if oneTest {
		title += ": " + list[0].test
	}
	suffix := ""
	if part := len(g.Figures) / 2; part > 0 {
		suffix = fmt.Sprintf("-%d", part+1)
	}
	time := newFigure("levels-time-"+file(g.Name)+suffix, title+", time", messages.axis, times.axis)
	rate := newFigure("levels-bandwidth-"+file(g.Name)+suffix, title+", bandwidth", messages.axis, rates.axis)
	for i, s := range list {
		var r []point
		for _, p := range s.points {
			q := point{x: p.x, y: p.x / p.y}
			if p.known() {
				q.from, q.to = p.x/p.to, p.x/p.from
			}
			r = append(r, q)
		}
		name := s.test
		switch {
		case oneTest:
			name = bench.Number(s.ranks, "rank")
		case s.ranks != 2:
			name = s.test + ", " + bench.Number(s.ranks, "rank")
		}
		if err := time.line(i, name, s.points); err != nil {
			return err
		}
		if err := rate.line(i, name, r); err != nil {
			return err
		}
	}
	time.logarithmic(plot.TickerFunc(messages.binary), times)
	rate.logarithmic(plot.TickerFunc(messages.binary), rates)
	g.Figures = append(g.Figures, time, rate)
	return nil
}
