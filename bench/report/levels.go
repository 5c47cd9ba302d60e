package report

import (
	"bytes"
	"encoding/json"
	"fmt"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"rhinet/bench"
)

// A row is what `bench NAME --format json` prints for a size, at any level:
// NIC, PM, MPI or the suite.
type row struct {
	Test  string  `json:"test"`
	Ranks int     `json:"ranks"`
	Bytes int     `json:"bytes"`
	Usec  float64 `json:"usec"`
	Avg   float64 `json:"t_avg_usec"` // the suite's
	Rate  float64 `json:"MB_s"`
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
	test   string
	ranks  int
	points plotter.XYs
	oneWay plotter.XYs // by the rate, which counts every message of a repetition
}

// levels makes one part of all files of rows. Its first plot has one way of
// every ping-pong, so that it shows what each layer adds to the one below; the
// others have what each file holds.
func levels(id string, sources []Source) (*Part, error) {
	p := &Part{ID: id, File: "levels", Legend: "Times of single measurements at several levels, each the median of its batches. They were not taken in rotated order: differences of a few tens of percent mean nothing",
		Header: []string{"file", "test", "ranks", "bytes", "µs"}}
	var files [][]*series
	for _, s := range sources {
		stem := strings.TrimSuffix(s.File, ".json")
		list := seriesOf(stem, s.rows)
		files = append(files, list)
		for _, r := range s.rows {
			p.Rows = append(p.Rows, []Cell{{Text: stem}, {Text: r.Test}, number(float64(r.Ranks), "%.0f"), number(float64(r.Bytes), "%.0f"), number(r.Usec, digits(r.Usec))})
		}
		p.Links = append(p.Links, link(s.File, "application/json", s.File, s.Text))
	}
	if err := p.layers(slices.Concat(files...)); err != nil {
		return nil, err
	}
	for i, list := range files {
		stem := strings.TrimSuffix(sources[i].File, ".json")
		list = slices.DeleteFunc(list, func(s *series) bool { return len(s.points) < 2 })
		for part := 0; len(list) > 0; part++ {
			n := together(list)
			if err := p.levelFigures(stem, part, list[:n]); err != nil {
				return nil, err
			}
			list = list[n:]
		}
	}
	return p, nil
}

// seriesOf sorts the rows of a file.
func seriesOf(stem string, rows []row) (list []*series) {
	for _, r := range rows {
		i := slices.IndexFunc(list, func(s *series) bool { return s.test == r.Test && s.ranks == r.Ranks })
		if i < 0 {
			i = len(list)
			list = append(list, &series{name: stem + ": " + r.Test, test: r.Test, ranks: r.Ranks})
		}
		if r.Bytes > 0 && r.Usec > 0 {
			list[i].points = append(list[i].points, plotter.XY{X: float64(r.Bytes), Y: r.Usec})
		}
		if r.Bytes > 0 && r.Rate > 0 {
			list[i].oneWay = append(list[i].oneWay, plotter.XY{X: float64(r.Bytes), Y: float64(r.Bytes) / r.Rate})
		}
	}
	return list
}

// together returns how many of the series of a file share the first plot: all
// if they can be told apart, or else those of one test, or of one number of ranks.
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

// layers adds the plot of one way of every ping-pong between two, the lowest
// layer first.
func (p *Part) layers(all []*series) error {
	depth := func(s *series) int {
		switch {
		case s.ranks != 2 || len(s.oneWay) < 2:
			return -1
		case s.test == "push":
			return 0
		case s.test == "llc-pingpong":
			return 2
		case strings.HasSuffix(s.test, "-pingpong"):
			return 1
		case s.test == "pingpong":
			return 3
		case s.test == "PingPong":
			return 4
		}
		return -1
	}
	all = slices.DeleteFunc(slices.Clone(all), func(s *series) bool { return depth(s) < 0 })
	slices.SortStableFunc(all, func(a, b *series) int { return depth(a) - depth(b) })
	if len(all) < 2 || depth(all[0]) == depth(all[len(all)-1]) {
		return nil
	}
	all, left := thin(all, depth)
	if len(left) > 0 {
		p.Remarks = append(p.Remarks, "left out of the plot of all levels: "+strings.Join(left, ", "))
	}
	f := newFigure("levels", "one way between two, level by level", "message size (bytes)", "time (µs)")
	f.height += legendLine * vg.Length(max(0, len(all)-fewLooks))
	for i, s := range all {
		if err := f.line(i, s.name, s.oneWay); err != nil {
			return err
		}
	}
	f.logarithmic(plot.TickerFunc(sizes), min(len(all), fewLooks))
	p.Figures = append(p.Figures, f)
	return nil
}

// legendLine is by how much a plot grows with each line beyond the usual.
const legendLine = 20

// thin leaves out the last series of the layers with the most until all can be told
// apart, so that no layer goes without a line. It returns the names of what is left out.
func thin(all []*series, depth func(*series) int) (kept []*series, left []string) {
	kept = all
	for len(kept) > len(looks) {
		var count [5]int
		for _, s := range kept {
			count[depth(s)]++
		}
		most := slices.Index(count[:], slices.Max(count[:]))
		for i := len(kept) - 1; i >= 0; i-- {
			if depth(kept[i]) == most {
				left = append(left, kept[i].name)
				kept = slices.Delete(slices.Clone(kept), i, i+1)
				break
			}
		}
	}
	slices.Reverse(left)
	return kept, left
}

// levelFigures adds the time and the bandwidth of some series of a file.
func (p *Part) levelFigures(stem string, part int, list []*series) error {
	title, oneTest := stem, true
	for _, s := range list {
		oneTest = oneTest && s.test == list[0].test
	}
	if oneTest {
		title += ": " + list[0].test
	}
	suffix := ""
	if part > 0 {
		suffix = fmt.Sprintf("-%d", part+1)
	}
	times := newFigure("levels-time-"+file(stem)+suffix, title+", time", "message size (bytes)", "time (µs)")
	rates := newFigure("levels-bandwidth-"+file(stem)+suffix, title+", bandwidth", "message size (bytes)", "size / time (MB/s)")
	for i, s := range list {
		var r plotter.XYs
		for _, xy := range s.points {
			r = append(r, plotter.XY{X: xy.X, Y: xy.X / xy.Y})
		}
		name := s.test
		switch {
		case oneTest:
			name = bench.Number(s.ranks, "rank")
		case s.ranks != 2:
			name = s.test + ", " + bench.Number(s.ranks, "rank")
		}
		if err := times.line(i, name, s.points); err != nil {
			return err
		}
		if err := rates.line(i, name, r); err != nil {
			return err
		}
	}
	for _, f := range []*Figure{times, rates} {
		f.logarithmic(plot.TickerFunc(sizes), len(list))
		p.Figures = append(p.Figures, f)
	}
	return nil
}
