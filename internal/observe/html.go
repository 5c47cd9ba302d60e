package observe

import (
	_ "embed"
	"fmt"
	"html/template"
	"io"
	"math"

	"rhinet/internal/page"
)

//go:embed page.html
var pageHTML string

// shownMatrix is up to how many ranks the page shows a matrix; more are a list of pairs.
const shownMatrix = 64

// A cell is one pair of ranks in the matrix of a page.
type cell struct {
	Text string
	Heat template.CSS // in percent of the strongest color
}

// Matrix returns the cells of who talks to whom, by sender and receiver, or nil if there are
// too many ranks.
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

// weight grows with what was sent, slowly.
func (t Traffic) weight() float64 { return math.Log2(2 + float64(t.Bytes+t.AccessBytes)) }

// WriteHTML writes the statistics as a page that needs nothing but itself.
func (s *Stats) WriteHTML(out io.Writer) error {
	t, err := template.New("stats").Funcs(template.FuncMap{
		"style":   func() template.CSS { return template.CSS(page.Style) },
		"script":  func() template.JS { return template.JS(page.Script) },
		"heads":   func(heads ...string) []string { return heads },
		"share":   share,
		"seconds": func(s float64) string { return fmt.Sprintf("%.6f", s) },
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
