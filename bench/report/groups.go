package report

import (
	"fmt"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// A Group holds the plots of one test of a large part: small ones side by
// side, without legends, since one key serves all.
type Group struct {
	ID, Name, Summary string
	Figures           []*Figure
}

// The size of a small figure, in points: two stand side by side on a telephone.
const (
	smallWidth  = 200
	smallHeight = 170
)

// newSmall returns an empty small plot.
func newSmall(name, title, x, y string) *Figure {
	f := newFigure(name, title, x, y)
	f.width, f.height, f.small = smallWidth, smallHeight, true
	p := f.plot
	p.Title.TextStyle.Font.Size, p.Title.Padding = 10, 3
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font.Size, a.Tick.Label.Font.Size, a.Label.Padding = 9, 8, 1
	}
	return f
}

// Wide reports whether a figure among small ones takes the room of several.
func (f *Figure) Wide() bool { return !f.small }

// groups makes the plots of a large part: for each test the time over the
// size, one plot for each number of ranks; the bandwidth on the fewest ranks;
// the time over the ranks for the smallest and the largest size; and the
// ratios to the better peer.
func groups(id string, res *compare.Result, lines []compare.Line) ([]Group, error) {
	var list []Group
	for _, g := range group(lines, func(l compare.Line) string { return l.Test }) {
		var count compare.Tally
		for _, l := range g.lines {
			count.Add(l.Best(), l.Rate())
		}
		one := Group{ID: groupID(id, g.name), Name: g.name}
		if len(res.Peers()) > 0 {
			one.Summary = count.String()
		}
		figures, err := smallCurves(res.Runtimes, g)
		if err != nil {
			return nil, err
		}
		one.Figures = figures
		if figures, err = smallScaling(res.Runtimes, g); err != nil {
			return nil, err
		}
		one.Figures = append(one.Figures, figures...)
		if len(res.Peers()) > 0 {
			one.Figures = append(one.Figures, betterRatios(res, g)...)
		}
		list = append(list, one)
	}
	return list, nil
}

// smallCurves draws time over size for each number of ranks, and bandwidth
// for the first.
func smallCurves(names []string, g lineGroup) (figures []*Figure, err error) {
	for i, r := range group(g.lines, func(l compare.Line) string { return l.Test + ", " + bench.Number(l.Ranks, "rank") }) {
		times := newSmall("time-"+file(r.name), r.name, "bytes", "time (µs)")
		drawn, err := times.lines(names, r.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Bytes), Y: v}, l.Bytes > 0 && l.Unit == "usec"
		})
		if err != nil {
			return nil, err
		}
		if !drawn {
			continue
		}
		times.logarithmic(plot.TickerFunc(sizes), 0)
		figures = append(figures, times)
		if i > 0 {
			continue
		}
		rates := newSmall("bandwidth-"+file(r.name), r.name, "bytes", "size / time (MB/s)")
		if _, err := rates.lines(names, r.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Bytes), Y: float64(l.Bytes) / v}, l.Bytes > 0
		}); err != nil {
			return nil, err
		}
		rates.logarithmic(plot.TickerFunc(sizes), 0)
		figures = append(figures, rates)
	}
	return figures, nil
}

// smallScaling draws the figure over the ranks, for the smallest and the
// largest size.
func smallScaling(names []string, g lineGroup) (figures []*Figure, err error) {
	bySize := group(g.lines, func(l compare.Line) string { return bytesText(l.Bytes) + " bytes" })
	for i, s := range bySize {
		if i > 0 && i < len(bySize)-1 || len(s.lines) < 2 {
			continue
		}
		title := g.name + ", " + s.name
		if s.lines[0].Bytes == 0 {
			title = g.name
		}
		f := newSmall("scaling-"+file(title), title, "ranks", axis(s.lines[0].Unit))
		drawn, err := f.lines(names, s.lines, func(l compare.Line, v float64) (plotter.XY, bool) {
			return plotter.XY{X: float64(l.Ranks), Y: v}, true
		})
		if err != nil {
			return nil, err
		}
		if drawn {
			f.logarithmic(exactly(ranksOf(s.lines)), 0)
			figures = append(figures, f)
		}
	}
	return figures, nil
}

// betterRatios draws the ratios of a test to the better of the peers.
func betterRatios(res *compare.Result, g lineGroup) (figures []*Figure) {
	var bars []bar
	rate := g.lines[0].Rate()
	for _, l := range g.lines {
		if r := l.Best(); r.Pairs > 0 && r.From > 0 {
			text := bench.Number(l.Ranks, "rank")
			if l.Bytes > 0 {
				text = fmt.Sprintf("%d, %s", l.Ranks, bytesText(l.Bytes))
			}
			bars = append(bars, bar{text, r, r.Verdict(rate)})
		}
	}
	if len(bars) == 0 {
		return nil
	}
	f := ratioFigure(res.Runtimes[0], "the better peer", 0, 0, rate, bars)
	f.Name, f.Title = "ratio-"+file(g.name), g.name+": "+res.Runtimes[0]+" / the better peer"
	f.plot.Title.Text, f.plot.Y.Label.Text = f.Title, "ranks, bytes"
	return []*Figure{f}
}
