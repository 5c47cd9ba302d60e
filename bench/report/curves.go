package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"
	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"rhinet/bench/compare"
)

// curves draws, for every test with three sizes or more, time and bandwidth
// over the message size.
func curves(names []string, lines []compare.Line) ([]*Figure, error) {
	var figures []*Figure
	for _, g := range group(lines, func(l compare.Line) string { return fmt.Sprintf("%s, %d ranks", l.Test, l.Ranks) }) {
		g.lines = slices.DeleteFunc(g.lines, func(l compare.Line) bool { return l.Bytes == 0 || l.Unit != "usec" })
		if len(g.lines) < 3 {
			continue
		}
		times := newFigure("time-"+file(g.name), g.name+": time", "message size (bytes)", "time (µs)")
		rates := newFigure("bandwidth-"+file(g.name), g.name+": bandwidth", "message size (bytes)", "size / time (MB/s)")
		drawn := 0
		for i, name := range names {
			var t, r plotter.XYs
			for _, l := range g.lines {
				if v := l.Medians[i]; v > 0 {
					t = append(t, plotter.XY{X: float64(l.Bytes), Y: v})
					r = append(r, plotter.XY{X: float64(l.Bytes), Y: float64(l.Bytes) / v})
				}
			}
			if len(t) == 0 {
				continue
			}
			drawn++
			if err := times.line(i, name, t); err != nil {
				return nil, err
			}
			if err := rates.line(i, name, r); err != nil {
				return nil, err
			}
		}
		if drawn == 0 {
			continue
		}
		for _, f := range []*Figure{times, rates} {
			f.logarithmic(plot.TickerFunc(sizes), drawn)
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
		unit := map[string]string{"usec": "time (µs)", "KiB": "memory (KiB a rank)"}[g.lines[0].Unit]
		if unit == "" {
			unit = "rate (" + g.lines[0].Unit + ")"
		}
		f := newFigure("scaling-"+file(g.name), g.name+": scaling", "ranks", unit)
		var ranks []float64
		for _, l := range g.lines {
			ranks = append(ranks, float64(l.Ranks))
		}
		drawn := 0
		for i, name := range names {
			var points plotter.XYs
			for _, l := range g.lines {
				if v := l.Medians[i]; v > 0 {
					points = append(points, plotter.XY{X: float64(l.Ranks), Y: v})
				}
			}
			if len(points) == 0 {
				continue
			}
			drawn++
			if err := f.line(i, name, points); err != nil {
				return nil, err
			}
		}
		if drawn == 0 {
			continue
		}
		f.logarithmic(exactly(ranks), drawn)
		figures = append(figures, f)
	}
	return figures, nil
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
	for _, g := range group(lines, func(l compare.Line) string { return fmt.Sprintf("%s, %d ranks", l.Test, l.Ranks) }) {
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
