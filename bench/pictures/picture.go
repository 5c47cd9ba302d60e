package pictures

import (
	"fmt"
	"html"
	"slices"
	"strings"
)

// A Picture belongs to one network interface.
type Picture struct {
	Name  string // of the network interface, and of the file
	Title string
	draw  func(c *canvas) error
}

// SVG draws the picture. For the same models, the result is always the same.
func (p *Picture) SVG() ([]byte, error) {
	c := &canvas{}
	c.text(margin, 22, "title", p.Title)
	if err := p.draw(c); err != nil {
		return nil, fmt.Errorf("pictures: %s: %w", p.Name, err)
	}
	return c.svg(p.Title), nil
}

// Sizes in pixels.
const (
	margin = 16
	top    = 40
	row    = 18
	column = 132
	gap    = 8
)

// A canvas collects the drawn elements.
type canvas struct {
	body          strings.Builder
	width, height int
}

func (c *canvas) reach(x, y int) { c.width, c.height = max(c.width, x+margin), max(c.height, y+margin) }

func (c *canvas) text(x, y int, class, text string) {
	fmt.Fprintf(&c.body, "<text x=\"%d\" y=\"%d\" class=\"%s\">%s</text>\n", x, y, class, html.EscapeString(text))
	c.reach(x+8*len(text), y)
}

func (c *canvas) box(x, y, w, h int, class, text string) {
	fmt.Fprintf(&c.body, "<rect x=\"%d\" y=\"%d\" width=\"%d\" height=\"%d\" rx=\"3\" class=\"%s\"/>\n", x, y, w, h, class)
	c.reach(x+w, y+h)
	if text != "" {
		c.text(x+6, y+min(h, row)-5, "", text)
	}
}

func (c *canvas) path(class, format string, args ...any) {
	fmt.Fprintf(&c.body, "<path d=\"%s\" class=\"%s\"/>\n", fmt.Sprintf(format, args...), class)
}

// style is the style sheet of all pictures.
const style = `text{font:11px sans-serif;fill:#222}.title{font-weight:bold;font-size:13px}.head{font-weight:bold}.step{fill:#777}` +
	`.page{fill:#fff}.state{fill:#dbe9f6;stroke:#2f6ea5}.wait{fill:#f8e3c8;stroke:#b86a10}.line{stroke:#ccc;fill:none}.arc{stroke:#2f6ea5;fill:none}`

func (c *canvas) svg(title string) []byte {
	return fmt.Appendf(nil, "<svg xmlns=\"http://www.w3.org/2000/svg\" role=\"img\" aria-label=\"%s\" viewBox=\"0 0 %d %d\" width=\"%d\" height=\"%d\">\n<style>%s</style>\n<rect class=\"page\" width=\"100%%\" height=\"100%%\"/>\n%s</svg>\n",
		html.EscapeString(title), c.width, c.height, c.width, c.height, style, c.body.String())
}

// A timeline shows the states of modules over time: one column per module, with time going down.
type timeline struct {
	unit  string
	lanes []string
	spans []span
	open  map[string]int // the span that a lane is in
	last  int
}

// A span is a state of a module.
type span struct {
	lane     string
	from, to int
	state    string
	waits    bool
}

func newTimeline(unit string) *timeline { return &timeline{unit: unit, open: map[string]int{}} }

// enter records that the module of a lane is in a state from a time on; "" means no state.
func (l *timeline) enter(at int, lane, state string, waits bool) {
	if i, ok := l.open[lane]; ok {
		l.spans[i].to = at
		delete(l.open, lane)
	}
	if !slices.Contains(l.lanes, lane) {
		l.lanes = append(l.lanes, lane)
	}
	if l.last = max(l.last, at); state != "" {
		l.open[lane] = len(l.spans)
		l.spans = append(l.spans, span{lane, at, at, state, waits})
	}
}

// draw draws everything that was entered. States without an end end one row below the last time.
func (l *timeline) draw(c *canvas) {
	end := l.last
	for _, i := range l.open {
		l.spans[i].to, end = l.last+1, l.last+1
	}
	x := func(lane int) int { return margin + 3*row + lane*(column+gap) }
	y := func(at int) int { return top + row + at*row }
	c.text(margin, top+row-6, "step", l.unit)
	for i, lane := range l.lanes {
		c.text(x(i), top+row-6, "head", lane)
	}
	for at := range end + 1 {
		c.path("line", "M%d %dH%d", margin, y(at), x(len(l.lanes))-gap)
		c.text(margin, y(at)+row-5, "step", fmt.Sprint(at))
	}
	for _, s := range l.spans {
		if s.to == s.from {
			continue // the module was in this state only for an instant
		}
		class := "state"
		if s.waits {
			class = "wait"
		}
		c.box(x(slices.Index(l.lanes, s.lane)), y(s.from)+1, column, (s.to-s.from)*row-2, class, s.state)
	}
}

// arcs draws a table of states in one column. Arcs to states further down are on the left, those back up on
// the right.
func arcs(c *canvas, states, notes []string, leads func(from, to int) bool) {
	const middle, step = 220, 3 * row
	at := func(i int) int { return top + row + i*step }
	for i, s := range states {
		c.box(middle, at(i), column, row, "state", s)
		c.text(middle+column+170, at(i)+row-5, "step", notes[i])
	}
	for from := range states {
		for to := range states {
			if from == to || !leads(from, to) {
				continue
			}
			side, bend, a, b := middle, -22*(to-from)-10, at(from)+12, at(to)+6
			if to < from {
				side, bend = middle+column, 22*(from-to)+10
			}
			c.path("arc", "M%d %dC%d %d %d %d %d %d", side, a, side+bend, a, side+bend, b, side, b)
			tip := 6
			if to > from {
				tip = -6
			}
			c.path("arc", "M%d %dL%d %dL%d %d", side+tip, b-3, side, b, side+tip, b+3)
		}
	}
}
