package report

import (
	"bytes"
	"fmt"
	"html/template"
	"image/color"
	"io"
	"math"
	"os"
	"path/filepath"
	"strings"

	"gonum.org/v1/plot"
	"gonum.org/v1/plot/font"
	"gonum.org/v1/plot/plotter"
	"gonum.org/v1/plot/vg"
	"gonum.org/v1/plot/vg/draw"

	"rhinet/bench"
)

// A Figure is one plot.
type Figure struct {
	Name   string // valid as a file name
	Title  string
	plot   *plot.Plot
	width  vg.Length
	height vg.Length
	drawn  int // lines
}

// The size of a figure, in points: small, so that text stays readable on a telephone.
const (
	width  = 400
	height = 300
)

// ink is the colour of what is drawn in the colour of the page's text.
var ink = color.RGBA{0x11, 0x11, 0x11, 0xff}

// faint is the colour of grids; it is visible on white and on black.
var faint = color.NRGBA{0x99, 0x99, 0x99, 0x66}

// A look distinguishes a line from others by colour, dashes and marks; any two of these are enough.
type look struct {
	color  color.RGBA
	dashes []vg.Length
	mark   draw.GlyphDrawer
}

var looks = []look{
	{color.RGBA{0x2f, 0x7f, 0xd1, 0xff}, nil, draw.CircleGlyph{}},
	{color.RGBA{0xd9, 0x73, 0x0d, 0xff}, []vg.Length{6, 3}, draw.BoxGlyph{}},
	{color.RGBA{0x2a, 0x9d, 0x5c, 0xff}, []vg.Length{2, 2}, draw.PyramidGlyph{}},
	{color.RGBA{0xa8, 0x59, 0xc9, 0xff}, []vg.Length{8, 2, 2, 2}, draw.CrossGlyph{}},
	{color.RGBA{0xc2, 0x3b, 0x4e, 0xff}, []vg.Length{1, 3}, draw.RingGlyph{}},
	{color.RGBA{0x7a, 0x7a, 0x2a, 0xff}, []vg.Length{10, 4}, draw.PlusGlyph{}},
	{color.RGBA{0x1b, 0x9a, 0xaa, 0xff}, []vg.Length{4, 2, 1, 2}, draw.SquareGlyph{}},
	{color.RGBA{0x8c, 0x5a, 0x3c, 0xff}, []vg.Length{12, 2}, draw.TriangleGlyph{}},
}

// fewLooks is the largest number of lines in one plot if they could also be in several.
const fewLooks = 6

func lookOf(i int) look { return looks[i%len(looks)] }

// newFigure returns an empty plot in the style of the page.
func newFigure(name, title, x, y string) *Figure {
	p := plot.New()
	sans := func(size vg.Length) font.Font { return font.Font{Typeface: "Liberation", Variant: "Sans", Size: size} }
	p.BackgroundColor = nil
	p.Title.Text = title
	p.Title.TextStyle.Font, p.Title.TextStyle.Color = sans(12), ink
	p.Title.Padding = 6
	p.Legend.TextStyle.Font, p.Legend.TextStyle.Color = sans(10), ink
	p.Legend.Top, p.Legend.Left = true, true
	p.Legend.XOffs, p.Legend.YOffs, p.Legend.Padding = 6, -4, 2
	p.Legend.ThumbnailWidth = 30
	for _, a := range []*plot.Axis{&p.X, &p.Y} {
		a.Label.TextStyle.Font, a.Label.TextStyle.Color = sans(11), ink
		a.Tick.Label.Font, a.Tick.Label.Color = sans(10), ink
		a.Color, a.Tick.Color = ink, ink
		a.Label.Padding = 3
	}
	p.X.Label.Text, p.Y.Label.Text = x, y
	grid := plotter.NewGrid()
	grid.Vertical.Color, grid.Horizontal.Color = faint, faint
	p.Add(grid)
	return &Figure{Name: name, Title: title, plot: p, width: width, height: height}
}

// A point is a point of a curve, with its interval.
type point struct{ x, y, from, to float64 }

// line adds one curve, with a whisker at each point that has an interval.
func (f *Figure) line(i int, name string, points []point) error {
	var xys plotter.XYs
	for _, p := range points {
		xys = append(xys, plotter.XY{X: p.x, Y: p.y})
	}
	l, s, err := plotter.NewLinePoints(xys)
	if err != nil {
		return fmt.Errorf("report: %s of %s: %w", f.Title, name, err)
	}
	k := lookOf(i)
	l.Color, l.Width, l.Dashes = k.color, 1.5, k.dashes
	s.Color, s.Radius, s.Shape = k.color, 3, k.mark
	f.drawn++
	f.plot.Add(l, s, whiskers{points, k.color})
	f.plot.Legend.Add(name, l, s)
	return nil
}

// whiskers are the intervals of a curve's points.
type whiskers struct {
	points []point
	color  color.Color
}

// known reports whether a point has an interval that can be drawn.
func (p point) known() bool { return p.from > 0 && p.to > p.from && !math.IsInf(p.to, 0) }

// Plot implements plot.Plotter.
func (w whiskers) Plot(c draw.Canvas, p *plot.Plot) {
	x, y := p.Transforms(&c)
	style := draw.LineStyle{Color: w.color, Width: 1}
	for _, k := range w.points {
		if !k.known() {
			continue
		}
		at, from, to := x(k.x), y(k.from), y(k.to)
		c.StrokeLine2(style, at, from, at, to)
		for _, end := range []vg.Length{from, to} {
			c.StrokeLine2(style, at-2.5, end, at+2.5, end)
		}
	}
}

// DataRange implements plot.DataRanger.
func (w whiskers) DataRange() (xmin, xmax, ymin, ymax float64) {
	xmin, xmax, ymin, ymax = math.Inf(1), math.Inf(-1), math.Inf(1), math.Inf(-1)
	for _, k := range w.points {
		if k.known() {
			xmin, xmax, ymin, ymax = min(xmin, k.x), max(xmax, k.x), min(ymin, k.from), max(ymax, k.to)
		}
	}
	return xmin, xmax, ymin, ymax
}

// logarithmic scales both axes; the vertical one is labelled in unit y.
func (f *Figure) logarithmic(x plot.Ticker, y unit) {
	p := f.plot
	p.X.Scale, p.X.Tick.Marker = plot.LogScale{}, x
	if p.X.Min == p.X.Max {
		p.X.Min, p.X.Max = p.X.Min/2, p.X.Max*2
	}
	f.rising(y)
}

// rising makes the vertical axis logarithmic, with room for the legend.
func (f *Figure) rising(y unit) {
	p := f.plot
	p.Y.Scale, p.Y.Tick.Marker = plot.LogScale{}, plot.TickerFunc(y.logarithmic)
	span := max(math.Log10(p.Y.Max/p.Y.Min), 0.3)
	share := 0.08 + 0.065*float64(f.drawn) // of the height, for the legend
	p.Y.Max *= math.Pow(10, span*share/(1-share))
	p.Y.Min /= math.Pow(10, span*0.05)
}

// SVG returns the figure for the page: it scales with the column, its text is in fonts that browsers have,
// and what is drawn in ink gets the page's colour.
func (f *Figure) SVG() (template.HTML, error) {
	w, err := f.draw("svg")
	if err != nil {
		return "", err
	}
	var b bytes.Buffer
	if _, err := w.WriteTo(&b); err != nil {
		return "", err
	}
	text := b.String()
	at := strings.Index(text, "viewBox")
	if at < 0 {
		return "", fmt.Errorf("report: the plot %s is no SVG", f.Title)
	}
	head := fmt.Sprintf(`<svg role="img" aria-label="%s" style="max-width:%.0fpx" `, template.HTMLEscapeString(f.Title), f.width.Points()*1.35)
	text = strings.NewReplacer("#111111", "currentColor", "font-family:Liberation Sans", "font-family:'Liberation Sans',Arial,Helvetica,sans-serif").Replace(text[at:])
	return template.HTML(head + text), nil
}

// margin keeps the letters of titles and of the last labels inside of the figure.
const margin = 6

// draw returns the figure in a format, to be written.
func (f *Figure) draw(format string) (io.WriterTo, error) {
	c, err := draw.NewFormattedCanvas(f.width, f.height, format)
	if err != nil {
		return nil, err
	}
	all := draw.New(c)
	if f.plot.BackgroundColor != nil {
		all.SetColor(f.plot.BackgroundColor)
		all.Fill(all.Rectangle.Path())
	}
	f.plot.Draw(draw.Crop(all, margin, -margin, margin, -margin))
	return c, nil
}

// Save writes the figure to a file, in the format given by the extension of its name: svg, pdf, png, eps.
func (f *Figure) Save(file string) error {
	f.plot.BackgroundColor = color.White
	defer func() { f.plot.BackgroundColor = nil }()
	w, err := f.draw(strings.TrimPrefix(filepath.Ext(file), "."))
	if err != nil {
		return err
	}
	return bench.Replace(file, func(out *os.File) error {
		_, err := w.WriteTo(out)
		return err
	})
}
