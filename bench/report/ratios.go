package report

import (
	"fmt"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rhinet/bench/compare"
)

// barsAPlot is how many bars one plot has at most.
const barsAPlot = 24

// barsHeight is the height of a plot of n bars: title and axis need theirs.
func barsHeight(n int) vg.Length { return vg.Length(80 + 15*max(n, 5)) }

// ratios draws the paired ratios of the first runtime to each of the others:
// bars from 1, and the 95 % interval as a whisker. Above the line at 1 lies
// what is faster for times, below for rates, so the two do not share a plot.
func ratios(names []string, lines []compare.Line) []*Figure {
	var figures []*Figure
	for i, other := range names[1:] {
		for _, rate := range []bool{false, true} {
			var bars []bar
			for _, l := range lines {
				if r := l.Ratios[i]; l.Rate() == rate && r.Pairs > 0 && r.From > 0 && l.Unit != "KiB" {
					bars = append(bars, bar{label(l), r, r.Verdict(rate)})
				}
			}
			for part := 0; len(bars) > 0; part++ {
				n := min(barsAPlot, len(bars))
				if len(bars)-n > 0 && len(bars)-n < 6 {
					n -= 6 // no plot of one lonely bar
				}
				figures = append(figures, ratioFigure(names[0], other, i+1, part, rate, bars[:n]))
				bars = bars[n:]
			}
		}
	}
	return figures
}

// label names a line shortly.
func label(l compare.Line) string {
	text := fmt.Sprintf("%s %d", l.Test, l.Ranks)
	if l.Bytes > 0 {
		text += " " + bytesText(l.Bytes)
	}
	return text
}

type bar struct {
	label   string
	ratio   compare.Ratio
	verdict string
}

func ratioFigure(ours, other string, i, part int, rate bool, bars []bar) *Figure {
	what := "time / time; left of 1 " + ours + " is faster"
	if rate {
		what = "rate / rate; right of 1 " + ours + " is faster"
	}
	name, title := "ratio-"+file(other), ours+" / "+other
	if rate {
		name += "-rate"
	}
	if part > 0 {
		name, title = fmt.Sprintf("%s-%d", name, part+1), fmt.Sprintf("%s (%d)", title, part+1)
	}
	f := newFigure(name, title, what, "test, ranks, bytes")
	p := f.plot
	p.Legend.Top = false
	f.height = barsHeight(len(bars))
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(aroundOne)
	b := &ratioBars{bars: bars, look: lookOf(i)}
	p.Add(b)
	p.X.Min, p.X.Max = b.span()
	p.Y.Min, p.Y.Max = -0.7, float64(len(bars))-0.3
	var ticks []plot.Tick
	for k, r := range bars {
		ticks = append(ticks, plot.Tick{Value: float64(len(bars) - 1 - k), Label: r.label})
	}
	p.Y.Tick.Marker = plot.ConstantTicks(ticks)
	p.Y.Tick.Length = 0
	return f
}

// aroundOne marks ratios: halves and doubles, or powers of ten if far.
func aroundOne(lo, hi float64) (ticks []plot.Tick) {
	step := 2.0
	switch {
	case hi/lo > 1e6:
		step = 100
	case hi/lo > 100:
		step = 10
	case hi/lo < 3:
		step = 1.25
	}
	for v := 1.0; v >= lo; v /= step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g", v)})
	}
	for v := step; v <= hi; v *= step {
		ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g", v)})
	}
	return ticks
}

// ratioBars draws the bars. A bar that shows a difference is filled, others
// are outlined.
type ratioBars struct {
	bars []bar
	look look
}

// span is the range of the axis: all intervals, and 1 in it.
func (b *ratioBars) span() (lo, hi float64) {
	lo, hi = 1/1.5, 1.5
	for _, r := range b.bars {
		lo, hi = math.Min(lo, r.ratio.From/1.1), math.Max(hi, r.ratio.To*1.1)
	}
	return lo, hi
}

// Plot implements plot.Plotter.
func (b *ratioBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	one := x(1)
	frame := draw.LineStyle{Color: b.look.color, Width: 1}
	line := draw.LineStyle{Color: ink, Width: 1}
	for i, r := range b.bars {
		at := y(float64(len(b.bars) - 1 - i))
		end := x(r.ratio.Median)
		box := []vg.Point{{X: one, Y: at - 4}, {X: end, Y: at - 4}, {X: end, Y: at + 4}, {X: one, Y: at + 4}, {X: one, Y: at - 4}}
		if r.verdict == "faster" || r.verdict == "slower" {
			c.FillPolygon(b.look.color, box)
		}
		c.StrokeLines(frame, box)
		from, to := x(r.ratio.From), x(r.ratio.To)
		c.StrokeLine2(line, from, at, to, at)
		c.StrokeLine2(line, from, at-2, from, at+2)
		c.StrokeLine2(line, to, at-2, to, at+2)
	}
	c.StrokeLine2(line, one, c.Min.Y, one, c.Max.Y)
}
