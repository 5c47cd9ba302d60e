package report

import (
	"gonum.org/v1/plot"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// A Group holds the plots of one test, or of one file of measurements.
type Group struct {
	ID, Name, Summary string
	Figures           []*Figure
}

// groups makes the plots of a comparison: for each test the time by size, one plot for each number of
// ranks; the bandwidth on the smallest number of ranks; the time by number of ranks for the smallest and
// the largest size; and the ratios to the faster peer.
func groups(id string, res *compare.Result, lines []compare.Line) (list []Group, err error) {
	for _, g := range group(lines, func(l compare.Line) string { return l.Test }) {
		one := Group{ID: groupID(id, g.name), Name: g.name}
		if len(res.Peers()) > 0 {
			var count compare.Tally
			for _, l := range g.lines {
				count.Add(l.Best(), l.Rate())
			}
			one.Summary = count.String()
		}
		for _, draw := range []func(*compare.Result, lineGroup) ([]*Figure, error){curves, scaling, ratios} {
			figures, err := draw(res, g)
			if err != nil {
				return nil, err
			}
			one.Figures = append(one.Figures, figures...)
		}
		list = append(list, one)
	}
	return list, nil
}

// curves plots time by size for each number of ranks with two or more sizes, and bandwidth for the first.
func curves(res *compare.Result, g lineGroup) (figures []*Figure, err error) {
	for _, r := range group(g.lines, func(l compare.Line) string { return l.Test + ", " + bench.Number(l.Ranks, "rank") }) {
		if len(r.lines) < 2 || r.lines[0].Unit != "usec" {
			continue
		}
		f := newFigure("time-"+file(r.name), r.name, messages.axis, times.axis)
		if err := f.lines(res.Runtimes, r.lines, ofSize, plain); err != nil {
			return nil, err
		}
		if f.drawn == 0 {
			continue
		}
		f.logarithmic(plot.TickerFunc(messages.binary), times)
		if figures = append(figures, f); len(figures) > 1 {
			continue
		}
		f = newFigure("bandwidth-"+file(r.name), r.name, messages.axis, rates.axis)
		if err := f.lines(res.Runtimes, r.lines, ofSize, bandwidth); err != nil {
			return nil, err
		}
		f.logarithmic(plot.TickerFunc(messages.binary), rates)
		figures = append(figures, f)
	}
	return figures, nil
}

// scaling plots the figure by number of ranks, for the smallest and the largest size.
func scaling(res *compare.Result, g lineGroup) (figures []*Figure, err error) {
	bySize := group(g.lines, func(l compare.Line) string { return bytesText(l.Bytes) })
	for i, s := range bySize {
		if i > 0 && i < len(bySize)-1 || len(s.lines) < 2 {
			continue
		}
		title := g.name + ", " + s.name
		if s.lines[0].Bytes == 0 {
			title = g.name
		}
		u := unitOf(s.lines[0].Unit)
		f := newFigure("scaling-"+file(title), title, "ranks", u.axis)
		if err := f.lines(res.Runtimes, s.lines, overRanks, plain); err != nil {
			return nil, err
		}
		if f.drawn > 0 {
			f.logarithmic(ofRanks(ranksOf(s.lines)), u)
			figures = append(figures, f)
		}
	}
	return figures, nil
}
