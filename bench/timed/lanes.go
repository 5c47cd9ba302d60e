package timed

import (
	"fmt"
	"io"
	"strings"
)

// Dimensions of the drawing of a time line, in pixels.
const (
	laneHigh  = 20
	laneWide  = 760 // of the longest time line
	laneLeft  = 70
	panelHead = 28
	legend    = 30
)

// colours returns the colours of a lane's activities, in the order of the legend.
func colours() [][2]string {
	return [][2]string{
		{doingMain, "#dddddd"}, {doingRFend, "#e69f00"}, {doingReplier, "#cc79a7"}, {doingWork, "#0072b2"}, {doingMiss, "#d55e00"}, {doingWait, "#b8d8ea"},
	}
}

// DrawTimeline writes spans as a picture in SVG: a panel for each size, a row for each lane.
func DrawTimeline(out io.Writer, spans []Span) error {
	longest := 1.0
	for _, s := range spans {
		longest = max(longest, s.To)
	}
	scale := laneWide / longest
	fill := map[string]string{}
	for _, c := range colours() {
		fill[c[0]] = c[1]
	}
	var b strings.Builder
	y, bytes, lane := legend-laneHigh, -1, ""
	for _, s := range spans {
		if s.Bytes != bytes {
			y += panelHead + laneHigh
			bytes, lane = s.Bytes, ""
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" font-weight=\"bold\">VPUSH of %d bytes</text>\n", laneLeft, y-6, bytes)
			y -= laneHigh
		}
		if s.Lane != lane {
			y += laneHigh
			lane = s.Lane
			fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\" text-anchor=\"end\">%s</text>\n", laneLeft-6, y+14, lane)
		}
		fmt.Fprintf(&b, "<rect x=\"%.1f\" y=\"%d\" width=\"%.1f\" height=\"%d\" fill=\"%s\"><title>%s %s: %.3f to %.3f µs</title></rect>\n",
			laneLeft+s.From*scale, y+2, max((s.To-s.From)*scale, 0.5), laneHigh-4, fill[s.Doing], s.Lane, s.Doing, s.From, s.To)
	}
	y += laneHigh
	for t := range int(longest) + 1 {
		x := laneLeft + float64(t)*scale
		fmt.Fprintf(&b, "<path d=\"M%.1f %d V%d\" stroke=\"#999999\" stroke-width=\"0.3\"/><text x=\"%.1f\" y=\"%d\" text-anchor=\"middle\">%d</text>\n", x, legend, y+4, x, y+18, t)
	}
	fmt.Fprintf(&b, "<text x=\"%d\" y=\"%d\">µs from when RFend begins with the packet</text>\n", laneLeft, y+36)
	for i, c := range colours() {
		x := laneLeft + i*125
		fmt.Fprintf(&b, "<rect x=\"%d\" y=\"8\" width=\"12\" height=\"12\" fill=\"%s\"/><text x=\"%d\" y=\"18\">%s</text>\n", x, c[1], x+17, c[0])
	}
	wide, high := laneLeft+laneWide+20, y+46
	_, err := fmt.Fprintf(out, "<svg xmlns=\"http://www.w3.org/2000/svg\" width=\"%d\" height=\"%d\" viewBox=\"0 0 %d %d\" font-family=\"sans-serif\" font-size=\"12\">\n<rect width=\"100%%\" height=\"100%%\" fill=\"white\"/>\n%s</svg>\n",
		wide, high, wide, high, &b)
	return err
}
