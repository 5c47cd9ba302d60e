package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// curves draws, for every test with three sizes or more, time and bandwidth
// over the message size.
func curves(names []string, lines []compare.Line) ([]*Figure, error) {
	var figures []*Figure
	for _, g := range group(lines, func(l compare.Line) string { return l.Test + ", " + bench.Number(l.Ranks, "rank") }) {
		g.lines = slices.DeleteFunc(g.lines, func(l compare.Line) bool { return l.Bytes == 0 || l.Unit != "usec" })
		if len(g.lines) < 3 {
			continue
		}
		times := newFigure("time-"+file(g.name), g.name+": time", "message size (bytes)", "time (µs)")
		rates := newFigure("bandwidth-"+file(g.name), g.name+": bandwidth", "message size (bytes)", "size / time (MB/s)")
		drawn, err := times.lines(names, g.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Bytes), Y: v}, true
		})
		if err != nil {
			return nil, err
		}
		if !drawn {
			continue
		}
		if _, err := rates.lines(names, g.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Bytes), Y: float64(l.Bytes) / v}, true
		}); err != nil {
			return nil, err
		}
		for _, f := range []*Figure{times, rates} {
			f.logarithmic(plot.TickerFunc(sizes), times.drawn)
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// scaling draws, for every test and size with several numbers of ranks, the
// figure over the ranks.
func scaling(names []string, lines []compare.Line) ([]*Figure, error) {
	var figures []*Figure
	for _, g := range group(lines, func(l compare.Line) string {
		if l.Bytes == 0 {
			return l.Test
		}
		return fmt.Sprintf("%s, %s bytes", l.Test, bytesText(l.Bytes))
	}) {
		if len(g.lines) < 2 {
			continue
		}
		f := newFigure("scaling-"+file(g.name), g.name+": scaling", "ranks", axis(g.lines[0].Unit))
		drawn, err := f.lines(names, g.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Ranks), Y: v}, true
		})
		if err != nil {
			return nil, err
		}
		if !drawn {
			continue
		}
		f.logarithmic(exactly(ranksOf(g.lines)), f.drawn)
		figures = append(figures, f)
	}
	return figures, nil
}

// axis names an axis of figures in a unit.
func axis(unit string) string {
	switch unit {
	case "usec":
		return "time (µs)"
	case "KiB":
		return "memory (KiB a rank)"
	}
	return "rate (" + unit + ")"
}

func ranksOf(lines []compare.Line) (ranks []float64) {
	for _, l := range lines {
		ranks = append(ranks, float64(l.Ranks))
	}
	return ranks
}

// lines adds a line for each runtime through what point makes of its medians;
// drawn tells whether there is any.
func (f *Figure) lines(names []string, lines []compare.Line, point func(compare.Line, float64) (plotter.XY, bool)) (drawn bool, err error) {
	for i, name := range names {
		var points plotter.XYs
		for _, l := range lines {
			if v := l.Medians[i]; v > 0 {
				if xy, ok := point(l, v); ok {
					points = append(points, xy)
				}
			}
		}
		if len(points) == 0 {
			continue
		}
		if err := f.line(i, name, points); err != nil {
			return false, err
		}
	}
	return f.drawn > 0, nil
}

type lineGroup struct {
	name  string
	lines []compare.Line
}

// group puts lines of one name together, in the order of the first of each.
func group(lines []compare.Line, name func(compare.Line) string) []lineGroup {
	var groups []lineGroup
	for _, l := range lines {
		n := name(l)
		i := slices.IndexFunc(groups, func(g lineGroup) bool { return g.name == n })
		if i < 0 {
			i = len(groups)
			groups = append(groups, lineGroup{name: n})
		}
		groups[i].lines = append(groups[i].lines, l)
	}
	return groups
}

// file makes a name fit for a file's.
func file(name string) string {
	return strings.Trim(strings.Map(func(r rune) rune {
		if r >= 'a' && r <= 'z' || r >= 'A' && r <= 'Z' || r >= '0' && r <= '9' || r == '.' || r == '_' {
			return r
		}
		return '-'
	}, name), "-")
}

// A Fit is the straight line through a runtime's times: latency + size / bandwidth.
type Fit struct {
	Test, Runtime string
	Latency       float64 // µs
	Bandwidth     float64 // MB/s
	Half          float64 // bytes at which half the bandwidth is reached
}

// fits finds the line of every curve. Errors count relative to the time, so
// that small messages weigh as much as large ones.
func fits(names []string, lines []compare.Line) []Fit {
	var all []Fit
	for _, g := range group(lines, func(l compare.Line) string { return l.Test + ", " + bench.Number(l.Ranks, "rank") }) {
		for i, name := range names {
			var x, y, w []float64
			for _, l := range g.lines {
				if v := l.Medians[i]; v > 0 && l.Unit == "usec" {
					x, y, w = append(x, float64(l.Bytes)), append(y, v), append(w, 1/(v*v))
				}
			}
			if len(x) < 3 {
				continue
			}
			alpha, beta := stat.LinearRegression(x, y, w, false)
			if alpha <= 0 || beta <= 0 || math.IsNaN(alpha+beta) {
				continue
			}
			all = append(all, Fit{g.name, name, alpha, 1 / beta, alpha / beta})
		}
	}
	return all
}
