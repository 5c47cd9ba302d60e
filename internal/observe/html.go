package observe

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"
	"strconv"

	"rhinet/internal/page"
)

//go:embed page.html
var pageHTML string

// shownMatrix is the largest number of ranks for which the page shows a matrix; more are shown as a list of
// pairs.
const shownMatrix = 64

// A cell is one pair of ranks in the matrix of a page.
type cell struct {
	Text string
	Heat template.CSS // in percent of the strongest color
}

// Matrix returns the cells of the traffic matrix, by sender and receiver, or nil if there are too many
// ranks.
func (s *Stats) Matrix() [][]cell {
	n := len(s.Ranks)
	if n > shownMatrix {
		return nil
	}
	all := make([][]cell, n)
	for i := range all {
		all[i] = make([]cell, n)
	}
	most := 0.0
	for _, t := range s.Traffic {
		most = max(most, t.weight())
	}
	for _, t := range s.Traffic {
		all[t.From][t.To] = cell{t.text(), template.CSS(fmt.Sprintf("%d%%", 5+int(math.Round(55*t.weight()/most))))}
	}
	return all
}

// weight grows slowly with the number of bytes sent.
func (t Traffic) weight() float64 { return math.Log2(2 + float64(t.Bytes+t.AccessBytes)) }

// Verdict returns the sentence that opens the page: how much of their time the ranks were in calls and
// waited for each other, and which call took most.
func (s *Stats) Verdict() string {
	var all, in, wait float64
	for i := range s.Ranks {
		c, w := s.Ranks[i].inCalls()
		all, in, wait = all+s.Ranks[i].Seconds, in+c, wait+w
	}
	if all <= 0 || in <= 0 {
		return "No rank has spent time in MPI calls."
	}
	most := s.Sums()[0]
	return fmt.Sprintf("Of their time the ranks spent %s in MPI calls and %s waiting for other ranks; %s took most, %s of the time in calls.",
		share(in, all), share(wait, all), most.Call.Call, share(most.Seconds, in))
}

// readable writes a time with the unit that leaves one to three digits before the point.
func readable(seconds float64) string {
	for _, u := range []struct {
		from float64
		name string
	}{{1, "s"}, {1e-3, "ms"}, {1e-6, "µs"}} {
		if seconds >= u.from*0.9995 {
			v := seconds / u.from
			return fmt.Sprintf("%.*f %s", max(0, 2-int(math.Floor(math.Log10(v*1.0005)))), v, u.name)
		}
	}
	if seconds <= 0 {
		return "-"
	}
	return fmt.Sprintf("%.0f ns", seconds*1e9)
}

// grouped writes a number in groups of three digits.
func grouped(n uint64) string {
	text := strconv.FormatUint(n, 10)
	for at := len(text) - 3; at > 0; at -= 3 {
		text = text[:at] + "," + text[at:]
	}
	return text
}

// WriteHTML writes the statistics as a page that refers to no other file.
func (s *Stats) WriteHTML(out io.Writer) error {
	t, err := template.New("stats").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(page.Style) },
		"script":  func() template.JS { return template.JS(page.Script) },
		"heads":   func(heads ...string) []string { return heads },
		"share":   share,
		"seconds": readable,
		"number":  grouped,
		"inCalls": func(r RankStats) []float64 {
			all, wait := r.inCalls()
			return []float64{all, wait}
		},
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(out, s)
}
