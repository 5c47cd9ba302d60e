package timed

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"slices"

	"rhinet/bench"
	"rhinet/internal/page"
)

//go:embed page.html
var pageHTML string

// Dimensions of the drawing, in units of its own.
const (
	drawWidth = 1040.0
	drawLeft  = 230.0 // for the names of lanes
	drawRight = 20.0
	drawTop   = 34.0
	laneTall  = 26.0
	barTall   = 18.0
)

// A drawn is a journey with the layout of the page.
type drawn struct {
	*Journey
	Width, Height float64
	Ticks         []tick
	Lanes         []lane
	Bars          []bar
	Shares        []Part
	Command       string
}

type tick struct {
	X    float64
	Text string
}

type lane struct {
	Y     float64
	Name  string
	Place int    // its color
	First string // name of the place, in its first lane
}

type bar struct {
	Step
	X, Y, Width, Tall float64
	TextX             float64
	Color             int
}

// Middle is the middle of a lane, offset by more.
func (l lane) Middle(more float64) float64 { return l.Y + laneTall/2 + more }

// Base is the base line of a bar's number; Inside tells whether the number is inside the bar.
func (b bar) Base() float64 { return b.Y + barTall - 5 }

// Inside is described with Base.
func (b bar) Inside() bool { return b.TextX < b.X+b.Width }

// Places are numbered in the order of the path.
func (d *drawn) place(name string) int {
	i := slices.IndexFunc(d.Shares, func(p Part) bool { return p.Place == name })
	return i + 1
}

// draw lays out lanes, bars and ticks.
func (j *Journey) draw() *drawn {
	d := &drawn{Journey: j, Width: drawWidth, Shares: j.Parts()}
	longest := j.End
	for _, s := range j.Steps {
		longest = max(longest, s.To)
	}
	scale := (drawWidth - drawLeft - drawRight) / longest
	for _, p := range d.Shares {
		first := p.Place
		for _, s := range j.Steps {
			if s.Place != p.Place || slices.ContainsFunc(d.Lanes, func(l lane) bool { return l.Name == s.Lane && l.Place == d.place(p.Place) }) {
				continue
			}
			d.Lanes = append(d.Lanes, lane{drawTop + float64(len(d.Lanes))*laneTall, s.Lane, d.place(p.Place), first})
			first = ""
		}
	}
	d.Height = drawTop + float64(len(d.Lanes))*laneTall + 6
	for _, s := range j.Steps {
		i := slices.IndexFunc(d.Lanes, func(l lane) bool { return l.Name == s.Lane && l.Place == d.place(s.Place) })
		b := bar{Step: s, X: drawLeft + s.From*scale, Y: d.Lanes[i].Y + (laneTall-barTall)/2, Width: max(2, (s.To-s.From)*scale), Tall: barTall, Color: d.Lanes[i].Place}
		b.TextX = b.X + b.Width/2
		if b.Width < 16 { // the number is beside it
			b.TextX = b.X + b.Width + 9
		}
		d.Bars = append(d.Bars, b)
	}
	step := round(longest / 8)
	for t := 0.0; t <= longest+1e-9; t += step {
		d.Ticks = append(d.Ticks, tick{drawLeft + t*scale, fmt.Sprintf("%.3g", t)})
	}
	return d
}

// round returns the smallest of 1, 2 or 5 times a power of ten that is at least v.
func round(v float64) float64 {
	ten := math.Pow(10, math.Floor(math.Log10(v)))
	for _, f := range []float64{1, 2, 5} {
		if f*ten >= v {
			return f * ten
		}
	}
	return 10 * ten
}

// WritePage writes a journey as a page that refers to no other file; command is the command that wrote it.
func (j *Journey) WritePage(out io.Writer, command string) error {
	t, err := template.New("journey").Funcs(template.FuncMap{
		"style": func() template.CSS { return template.CSS(page.Style) },
		"usec":  func(v float64) string { return fmt.Sprintf("%.3f", v) },
		"nsec":  func(s Step) string { return fmt.Sprintf("%.0f", 1e3*(s.To-s.From)) },
		"part":  func(p Part) string { return fmt.Sprintf("%.0f", 1e3*(p.To-p.From)) },
		"share": func(p Part) string { return fmt.Sprintf("%.0f %%", 100*(p.To-p.From)/j.End) },
		"bytes": func(n int) string { return bench.Number(n, "byte") },
		"color": func(place int) string { return fmt.Sprintf("p%d", place) },
		"add1":  func(i int) int { return i + 1 },
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	d := j.draw()
	d.Command = command
	return t.Execute(out, d)
}
