package report

import (
	"math"

	"gonum.org/v1/plot"

	"rhinet/bench"
)

// A Curve is a named list of points.
type Curve struct {
	Name string
	X, Y []float64
}

// Lines draws curves over a linear axis; the vertical axis is logarithmic if all values are above 0.
func Lines(name, title, x, y string, curves []Curve) (*Figure, error) {
	f, err := drawn(name, title, x, y, curves)
	if err != nil {
		return nil, err
	}
	if p := f.plot; p.Y.Min > 0 && !math.IsInf(p.Y.Max, 0) {
		f.rising(numbers)
	}
	p := f.plot
	p.X.Tick.Marker = plot.TickerFunc(func(lo, hi float64) []plot.Tick { return numbers.ticks(even(lo, hi)) })
	return f, nil
}

// BySize draws curves over sizes in bytes; both axes are logarithmic.
func BySize(name, title, y string, curves []Curve) (*Figure, error) {
	f, err := drawn(name, title, "message size", y, curves)
	if err != nil {
		return nil, err
	}
	f.logarithmic(plot.TickerFunc(messages.binary), numbers)
	return f, nil
}

// ByNumber draws curves over numbers of x; both axes are logarithmic.
func ByNumber(name, title, x, y string, curves []Curve) (*Figure, error) {
	f, err := drawn(name, title, x, y, curves)
	if err != nil {
		return nil, err
	}
	f.logarithmic(plot.TickerFunc(numbers.logarithmic), numbers)
	return f, nil
}

// drawn returns a figure of curves whose axes are still to be scaled.
func drawn(name, title, x, y string, curves []Curve) (*Figure, error) {
	f := newFigure(name, title, x, y)
	for i, c := range curves {
		points := make([]point, len(c.X))
		for j := range points {
			points[j] = point{x: c.X[j], y: c.Y[j]}
		}
		if err := f.line(i, c.Name, points); err != nil {
			return nil, err
		}
	}
	return f, nil
}

// PlotFile describes the file of a plot, so that it can be checked before there is a plot.
func PlotFile(file string) bench.Kept { return bench.Kept{File: file, Kind: "plot", Is: isPlot} }
