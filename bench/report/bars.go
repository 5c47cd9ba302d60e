package report

import (
	"fmt"
	"math"
	"slices"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"

	"rhinet/bench"
	"rhinet/bench/compare"
)

// kernelBars draws the two figures of a comparison of kernels by run time and communication wait time (llc,
// section 6), for each class and number of ranks: the run time relative to that of the first runtime, and
// the share of its run time that a runtime waits.
func kernelBars(res *compare.Result, lines []compare.Line) (figures []*Figure, err error) {
	if !res.Waits {
		return nil, nil
	}
	waits := map[string]compare.Line{}
	for _, l := range lines {
		waits[fmt.Sprint(l.Test, l.Ranks)] = l
	}
	runs := slices.DeleteFunc(slices.Clone(lines), func(l compare.Line) bool { return !isRun(l) })
	for _, g := range group(runs, func(l compare.Line) string {
		_, class, _ := strings.Cut(l.Test, ".")
		return fmt.Sprintf("class %s, %s", class, bench.Number(l.Ranks, "rank"))
	}) {
		times, parts := newBars(res.Runtimes), newBars(res.Runtimes)
		for _, l := range g.lines {
			kernel, _, _ := strings.Cut(l.Test, ".")
			wait := waits[fmt.Sprint(compare.WaitTest(l.Test), l.Ranks)].Medians
			times.add(kernel, func(i int) float64 { return l.Medians[i] / l.Medians[0] })
			parts.add(kernel, func(i int) float64 {
				if wait == nil {
					return math.NaN()
				}
				return 100 * wait[i] / l.Medians[i]
			})
		}
		name := file(g.name)
		for _, f := range []struct {
			bars                *groupedBars
			name, title, legend string
		}{
			{times, "run-time-" + name, "run time, " + g.name, "time / time of " + res.Runtimes[0]},
			{parts, "wait-time-" + name, "communication wait time, " + g.name, "part of the run time (%)"},
		} {
			if f.bars.empty() {
				continue
			}
			figure, err := f.bars.figure(f.name, f.title, f.legend)
			if err != nil {
				return nil, err
			}
			figures = append(figures, figure)
		}
	}
	return figures, nil
}

// isRun reports whether a line is the run time of a kernel.
func isRun(l compare.Line) bool {
	return l.Unit == "s" && !strings.HasSuffix(l.Test, compare.WaitTest(""))
}

// groupedBars are groups of bars, each with one bar of every series.
type groupedBars struct {
	series, groups []string
	values         []plotter.Values // by series, then group
}

func newBars(series []string) *groupedBars {
	return &groupedBars{series: series, values: make([]plotter.Values, len(series))}
}

// add adds a group; unknown values have no bar.
func (b *groupedBars) add(group string, value func(series int) float64) {
	b.groups = append(b.groups, group)
	for i := range b.series {
		v := value(i)
		if math.IsNaN(v) || math.IsInf(v, 0) {
			v = 0
		}
		b.values[i] = append(b.values[i], v)
	}
}

func (b *groupedBars) empty() bool {
	return !slices.ContainsFunc(b.values, func(v plotter.Values) bool {
		return slices.ContainsFunc(v, func(x float64) bool { return x > 0 })
	})
}

// The width of a bar, and of the gap between two groups.
const (
	barWidth = vg.Length(7)
	barGap   = vg.Length(10)
)

// figure draws the bars. Series also differ in their shade, and are in the order of the legend.
func (b *groupedBars) figure(name, title, legend string) (*Figure, error) {
	f := newFigure(name, title, "", legend)
	p := f.plot
	f.width = max(width, vg.Length(len(b.groups))*(barWidth*vg.Length(len(b.series))+barGap)+80)
	f.height = height + vg.Length(12*len(b.series))
	for i, values := range b.values {
		c, err := plotter.NewBarChart(values, barWidth)
		if err != nil {
			return nil, fmt.Errorf("report: %s of %s: %w", title, b.series[i], err)
		}
		c.Color, c.LineStyle.Width = lookOf(i).color, 0.5
		c.Offset = barWidth * (vg.Length(i) - vg.Length(len(b.series)-1)/2)
		p.Add(c)
		p.Legend.Add(b.series[i], c)
		f.drawn++
	}
	p.NominalX(b.groups...)
	p.Y.Min = 0
	share := 0.08 + 0.05*float64(f.drawn) // of the height, for the legend
	p.Y.Max /= 1 - share
	p.Y.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return numbers.ticks(even(lo, hi)) })
	return f, nil
}
