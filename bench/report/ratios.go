package report

import (
	"fmt"
	"image/color"
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rhinet/bench/compare"
)

// barsAPlot is the maximum number of bars in a plot.
const barsAPlot = 24

// barsHeight returns the height of a plot of n bars, including title and axis.
func barsHeight(n int) vg.Length { return vg.Length(80 + 15*max(n, 5)) }

// A bar is the paired ratio of a cell.
type bar struct {
	label   string
	ratio   compare.Ratio
	verdict string
}

// ratios draws the ratios of the first runtime to the faster of the peers: bars from 1, with the 95 %
// interval as a whisker. They are ratios of times, so left of 1 is faster; ratios of rates are inverted.
func ratios(res *compare.Result, g lineGroup) (figures []*Figure, err error) {
	if len(res.Peers()) == 0 {
		return nil, nil
	}
	var bars []bar
	for _, l := range g.lines {
		if r := timeRatio(l.Best(), l.Rate()); r.Pairs > 0 && r.From > 0 {
			label := fmt.Sprintf("%d, %s", l.Ranks, bytesText(l.Bytes))
			if l.Bytes == 0 {
				label = fmt.Sprint(l.Ranks)
			}
			bars = append(bars, bar{label, r, r.Verdict(false)})
		}
	}
	for part := 0; len(bars) > 0; part++ {
		n := min(barsAPlot, len(bars))
		if left := len(bars) - n; left > 0 && left < 6 {
			n -= 6 // no plot of one lonely bar
		}
		name, title := "ratio-"+file(g.name), fmt.Sprintf("%s: %s / faster peer", g.name, res.Runtimes[0])
		if part > 0 {
			name, title = fmt.Sprintf("%s-%d", name, part+1), fmt.Sprintf("%s (%d)", title, part+1)
		}
		figures = append(figures, ratioFigure(name, title, res.Runtimes[0], bars[:n]))
		bars = bars[n:]
	}
	return figures, nil
}

// timeRatio returns the ratio of times, also if r is one of rates.
func timeRatio(r compare.Ratio, rate bool) compare.Ratio {
	if !rate {
		return r
	}
	r.Median, r.Low, r.High, r.From, r.To = 1/r.Median, 1/r.High, 1/r.Low, 1/r.To, 1/r.From
	return r
}

func ratioFigure(name, title, ours string, bars []bar) *Figure {
	f := newFigure(name, title, "← "+ours+" is faster · time / time · slower →", "ranks, size")
	p := f.plot
	f.height = barsHeight(len(bars))
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, plot.TickerFunc(aroundOne)
	b := &ratioBars{bars: bars}
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

// aroundOne marks 1 and multiples of it in both directions, with the largest step that leaves some marks.
func aroundOne(lo, hi float64) (ticks []plot.Tick) {
	for _, step := range []float64{100, 10, 2, 1.5, 1.25} {
		values := []float64{1}
		for v := 1 / step; v >= lo; v /= step {
			values = append(values, v)
		}
		for v := step; v <= hi; v *= step {
			values = append(values, v)
		}
		if len(values) >= fewTicks {
			for _, v := range values {
				ticks = append(ticks, plot.Tick{Value: v, Label: fmt.Sprintf("%.3g", v)})
			}
			return ticks
		}
	}
	return numbers.ticks(even(lo, hi))
}

// The colours of verdicts; they are visible on white and on black.
var verdictColor = map[string]color.RGBA{
	"faster": {0x1f, 0x9d, 0x55, 0xff},
	"slower": {0xd6, 0x45, 0x3d, 0xff},
}

// undecided is the colour of a ratio that shows no difference.
var undecided = color.RGBA{0x8a, 0x8f, 0x98, 0xff}

// ratioBars draws the bars. A bar that shows a difference is filled, green if faster and red if slower;
// others are outlined.
type ratioBars struct{ bars []bar }

// span returns the range of the axis, which includes all intervals and 1.
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
	line := draw.LineStyle{Color: ink, Width: 1}
	for i, r := range b.bars {
		at := y(float64(len(b.bars) - 1 - i))
		end := x(r.ratio.Median)
		box := []vg.Point{{X: one, Y: at - 4}, {X: end, Y: at - 4}, {X: end, Y: at + 4}, {X: one, Y: at + 4}, {X: one, Y: at - 4}}
		fill, told := verdictColor[r.verdict]
		if told {
			c.FillPolygon(fill, box)
		} else {
			fill = undecided
		}
		c.StrokeLines(draw.LineStyle{Color: fill, Width: 1}, box)
		from, to := x(r.ratio.From), x(r.ratio.To)
		c.StrokeLine2(line, from, at, to, at)
		c.StrokeLine2(line, from, at-2, from, at+2)
		c.StrokeLine2(line, to, at-2, to, at+2)
	}
	c.StrokeLine2(line, one, c.Min.Y, one, c.Max.Y)
}
