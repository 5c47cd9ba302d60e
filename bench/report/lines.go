package report

import (
	"math"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/plotter"

	"rhinet/bench"
)

// A Curve is a named list of points.
type Curve struct {
	Name string
	X, Y []float64
}

// Lines draws curves over a linear axis, their values on a logarithmic one if they
// are all above 0.
func Lines(name, title, x, y string, curves []Curve) (*Figure, error) {
	f := newFigure(name, title, x, y)
	for i, c := range curves {
		points := make(plotter.XYs, len(c.X))
		for j := range points {
			points[j] = plotter.XY{X: c.X[j], Y: c.Y[j]}
		}
		if err := f.line(i, c.Name, points); err != nil {
			return nil, err
		}
	}
	if p := f.plot; p.Y.Min > 0 && !math.IsInf(p.Y.Max, 0) {
		p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(decades)
		span := max(math.Log10(p.Y.Max/p.Y.Min), 0.3)
		share := 0.08 + 0.065*float64(len(curves)) // of the height, for the legend
		p.Y.Max *= math.Pow(10, span*share/(1-share))
		p.Y.Min /= math.Pow(10, span*0.05)
	}
	return f, nil
}

// PlotFile is a plot in its place, to be checked before there is one.
func PlotFile(file string) bench.Kept { return bench.Kept{File: file, Kind: "plot", Is: isPlot} }
