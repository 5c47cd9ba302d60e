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

// waits makes one part from all files of kernels: the share of the time that ranks wait.
func waits(id string, sources []Source) *Part {
	p := &Part{ID: id, File: "waiting", Legend: "Share of the time of each kernel that a rank waits for communication: the time in MPI calls that nothing overlaps. It is known of runs with timers",
		Header: []string{"kernel", "ranks", "time", "rate", "operations executed / counted", "waiting, mean", "waiting, most"}}
	bars := &waitBars{}
	var kernels []string
	for _, s := range sources {
		for _, k := range s.kernels {
			kernels = append(kernels, k.Kernel)
			mean, most, timed := k.Wait()
			mean, most = mean/k.Seconds, most/k.Seconds
			if !timed {
				mean, most = math.NaN(), math.NaN()
			}
			name := k.Kernel + "." + k.Class
			p.Rows = append(p.Rows, []Cell{{Text: name}, number(float64(k.Processes)), times.cell(1e6 * k.Seconds), mops.cell(k.Mops), executed(k.Kernel), percentage.cell(100 * mean), percentage.cell(100 * most)})
			if !timed {
				continue
			}
			bars.labels = append(bars.labels, fmt.Sprintf("%s %d", name, k.Processes))
			bars.mean, bars.most = append(bars.mean, mean), append(bars.most, most)
		}
		p.Links = append(p.Links, link(s.File, "application/json", s.File, s.Text))
	}
	p.Remarks = compare.AboutKernels(kernels)
	for part := 0; len(bars.labels) > 0; part++ {
		n := min(barsAPlot, len(bars.labels))
		p.Figures = append(p.Figures, (&waitBars{bars.labels[:n], bars.mean[:n], bars.most[:n]}).figure(part))
		bars = &waitBars{bars.labels[n:], bars.mean[n:], bars.most[n:]}
	}
	return p
}

// executed returns the cell with the share of the counted operations that a kernel executes.
func executed(kernel string) Cell {
	if percent, ok := compare.AboutKernel(kernel); ok {
		return percentage.cell(float64(percent))
	}
	return number(math.NaN())
}

// waitBars draws a full bar for the whole time of each kernel, filled up to the mean share of waiting, with
// a mark at the share of the rank that waits most.
type waitBars struct {
	labels     []string
	mean, most []float64
}

func (b *waitBars) figure(part int) *Figure {
	name := "waiting"
	if part > 0 {
		name = fmt.Sprintf("waiting-%d", part+1)
	}
	f := newFigure(name, "communication wait", "share of the time (%); filled: mean, mark: the rank that waits most", "kernel, ranks")
	p := f.plot
	f.height = barsHeight(len(b.labels))
	p.Add(b)
	p.X.Min, p.X.Max = 0, 100
	p.Y.Min, p.Y.Max = -0.7, float64(len(b.labels))-0.3
	var ticks []plot.Tick
	for i, l := range b.labels {
		ticks = append(ticks, plot.Tick{Value: float64(len(b.labels) - 1 - i), Label: l})
	}
	p.Y.Tick.Marker, p.Y.Tick.Length = plot.ConstantTicks(ticks), 0
	return f
}

// Plot implements plot.Plotter.
func (b *waitBars) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	box := func(to float64, at vg.Length) []vg.Point {
		return []vg.Point{{X: x(0), Y: at - 4}, {X: x(to), Y: at - 4}, {X: x(to), Y: at + 4}, {X: x(0), Y: at + 4}, {X: x(0), Y: at - 4}}
	}
	fill := color.Color(undecided)
	for i := range b.labels {
		at := y(float64(len(b.labels) - 1 - i))
		c.FillPolygon(fill, box(100*b.mean[i], at))
		c.StrokeLines(draw.LineStyle{Color: fill, Width: 0.7}, box(100, at))
		most := x(100 * b.most[i])
		c.StrokeLine2(draw.LineStyle{Color: ink, Width: 1.5}, most, at-5, most, at+5)
	}
}
