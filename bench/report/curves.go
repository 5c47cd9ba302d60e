package report

import (
	"math"
	"slices"
	"strings"

	"gonum.org/v1/gonum/stat"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// points makes a curve of a runtime's medians over x; scaled converts each value to what is drawn.
func points(place int, lines []compare.Line, x func(compare.Line) float64, scaled func(compare.Line, float64) float64) (list []point) {
	for _, l := range lines {
		if v := l.Medians[place]; v > 0 && x(l) > 0 {
			from, to := scaled(l, l.Spans[place].From), scaled(l, l.Spans[place].To)
			list = append(list, point{x(l), scaled(l, v), min(from, to), max(from, to)})
		}
	}
	return list
}

// lines adds a curve for each runtime that has one; f.drawn tells how many.
func (f *Figure) lines(names []string, lines []compare.Line, x func(compare.Line) float64, scaled func(compare.Line, float64) float64) error {
	for i, name := range names {
		if p := points(i, lines, x, scaled); len(p) > 0 {
			if err := f.line(i, name, p); err != nil {
				return err
			}
		}
	}
	return nil
}

func ofSize(l compare.Line) float64               { return float64(l.Bytes) }
func overRanks(l compare.Line) float64            { return float64(l.Ranks) }
func plain(_ compare.Line, v float64) float64     { return v }
func bandwidth(l compare.Line, v float64) float64 { return float64(l.Bytes) / v }

func ranksOf(lines []compare.Line) (ranks []float64) {
	for _, l := range lines {
		ranks = append(ranks, float64(l.Ranks))
	}
	return ranks
}

type lineGroup struct {
	name  string
	lines []compare.Line
}

// group groups lines by name, in the order of the first line of each name.
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

// file turns a name into a valid file name.
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

// fits finds the line of every curve. Errors are relative to the time, so that small messages have the same
// weight as large ones.
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
