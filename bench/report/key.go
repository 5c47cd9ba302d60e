package report

import (
	"gonum.org/v1/plot/vg/draw"
)

// A Key says how a runtime's line looks.
type Key struct {
	Name   string
	Figure *Figure
}

// keys returns the key of every runtime: a piece of its line with its mark.
func keys(names []string) (list []Key) {
	for i, name := range names {
		list = append(list, Key{name, &Figure{Title: "line of " + name, paint: lookOf(i).paint, width: 48, height: 14}})
	}
	return list
}

// paint draws a piece of a line and its mark.
func (k look) paint(c draw.Canvas) {
	mid := c.Center()
	c.StrokeLine2(draw.LineStyle{Color: k.color, Width: 1.5, Dashes: k.dashes}, c.Min.X, mid.Y, c.Max.X, mid.Y)
	c.DrawGlyph(draw.GlyphStyle{Color: k.color, Radius: 3, Shape: k.mark}, mid)
}
