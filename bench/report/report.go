package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rhinet/bench/compare"
)

// A Source is one result file: a comparison, the rows of a measurement, or
// runs of kernels with their timers on.
type Source struct {
	File   string // its base name
	Text   []byte
	Result *compare.Result // nil for the others

	rows    []row
	kernels []kernelRun
}

// Load reads result files. A folder stands for the result files in it; what
// else is there is passed over, but a folder without any, or a file that is
// named and is none, is an error.
func Load(paths []string) ([]Source, error) {
	var sources []Source
	for _, path := range paths {
		info, err := os.Stat(path)
		if err != nil {
			return nil, err
		}
		files := []string{path}
		if info.IsDir() {
			if files, err = filepath.Glob(filepath.Join(path, "*.json")); err != nil {
				return nil, err
			}
		}
		found := 0
		for _, f := range files {
			s, err := load(f)
			if err != nil && !info.IsDir() {
				return nil, err
			}
			if err == nil {
				found++
				sources = append(sources, s)
			}
		}
		if found == 0 {
			return nil, fmt.Errorf("%s holds no result file (bench compare --out writes them)", path)
		}
	}
	return sources, nil
}

// load reads one file.
func load(file string) (Source, error) {
	text, err := os.ReadFile(file)
	if err != nil {
		return Source{}, err
	}
	s := Source{File: filepath.Base(file), Text: text}
	if rows, ok := parseRows(text); ok {
		s.rows = rows
		return s, nil
	}
	if runs, ok := parseKernels(text); ok {
		s.kernels = runs
		return s, nil
	}
	if s.Result, err = compare.Read(file); err != nil {
		return s, err
	}
	if len(s.Result.Samples) == 0 {
		return s, fmt.Errorf("%s holds no measurement", file)
	}
	return s, nil
}

// A Report is the page and its figures.
type Report struct {
	Title   string
	Parts   []Part
	Figures []*Figure // of all parts, each with a name of its own
}

// A Part is what the page says of one source.
type Part struct {
	ID, File        string
	Head, Legend    string
	Figures         []*Figure
	Header          []string
	Rows            [][]Cell
	Fits            []Fit
	Counts          string
	Remarks         []string
	Links           []Link
	Losses          [][]Cell
	LossesAreBetter bool // there is something to lose against
}

// A Link is data to download.
type Link struct {
	File, Text string
	URL        template.URL
}

func link(file, mime, text string, data []byte) Link {
	return Link{file, text, template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data))}
}

// A Cell is one cell of a table: what is shown, and by what it sorts.
type Cell struct {
	Text    string
	Key     string
	Class   string
	Numeric bool
}

// New makes a report of the sources.
func New(title string, sources []Source) (*Report, error) {
	r := &Report{Title: title}
	names := map[string]bool{}
	var rows, kernels []Source
	for i, s := range sources {
		switch {
		case s.rows != nil:
			rows = append(rows, s)
			continue
		case s.kernels != nil:
			kernels = append(kernels, s)
			continue
		}
		p, err := newPart(fmt.Sprintf("part%d", i+1), s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		for _, f := range p.Figures {
			if names[f.Name] {
				f.Name = fmt.Sprintf("%s-%s", strings.TrimSuffix(s.File, ".json"), f.Name)
			}
			names[f.Name] = true
		}
		r.Parts = append(r.Parts, *p)
	}
	if len(rows) > 0 {
		p, err := levels("levels", rows)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, *p)
	}
	if len(kernels) > 0 {
		r.Parts = append(r.Parts, *waits("waiting", kernels))
	}
	for _, p := range r.Parts {
		r.Figures = append(r.Figures, p.Figures...)
	}
	return r, nil
}

func newPart(id string, s Source) (*Part, error) {
	res := s.Result
	lines := res.Lines()
	p := &Part{ID: id, File: s.File, Head: res.Host.String(), Legend: res.Legend(), Remarks: res.Remarks(), Fits: fits(res.Runtimes, lines)}
	p.Figures = ratios(res.Runtimes, lines)
	for _, draw := range []func([]string, []compare.Line) ([]*Figure, error){curves, scaling} {
		figures, err := draw(res.Runtimes, lines)
		if err != nil {
			return nil, err
		}
		p.Figures = append(p.Figures, figures...)
	}
	p.table(res, lines)
	stem := strings.TrimSuffix(s.File, ".json")
	var table, samples bytes.Buffer
	if err := res.Write(&table, "csv"); err != nil {
		return nil, err
	}
	if err := res.Write(&samples, "go"); err != nil {
		return nil, err
	}
	p.Links = []Link{
		link(s.File, "application/json", "JSON", s.Text),
		link(stem+".csv", "text/csv", "CSV", table.Bytes()),
		link(stem+".txt", "text/plain", "for benchstat", samples.Bytes()),
	}
	return p, nil
}

// table fills the rows, and those in which a peer is better.
func (p *Part) table(res *compare.Result, lines []compare.Line) {
	p.Header = res.Header()
	p.LossesAreBetter = len(res.Peers()) > 0
	counts := map[string]int{}
	for _, l := range lines {
		row := []Cell{{Text: l.Test}, number(float64(l.Ranks), "%.0f"), number(float64(l.Bytes), "%.0f")}
		for _, m := range l.Medians {
			row = append(row, number(m, digits(m)))
		}
		for _, r := range res.Shown(l) {
			c := number(r.Median, "%.2f")
			if r.Pairs > 0 {
				c.Class = r.Verdict(l.Rate())
				c.Text = r.String() + " " + c.Class
			}
			if c.Class == "?" {
				c.Class = "few"
			}
			row = append(row, c)
		}
		p.Rows = append(p.Rows, row)
		if p.LossesAreBetter {
			v := l.Best().Verdict(l.Rate())
			counts[v]++
			if v == "slower" {
				p.Losses = append(p.Losses, row)
			}
		}
	}
	if p.LossesAreBetter {
		p.Counts = fmt.Sprintf("Against the better of %s, %s is faster in %d cells of %d, slower in %d; no difference is shown in %d, and %d have too few rounds to tell.",
			strings.Join(res.Peers(), " and "), res.Runtimes[0], counts["faster"], len(lines), counts["slower"], counts["equal"], counts["?"])
	}
}

func number(v float64, format string) Cell {
	if math.IsNaN(v) {
		return Cell{Text: "-", Key: "", Numeric: true}
	}
	return Cell{Text: fmt.Sprintf(format, v), Key: fmt.Sprintf("%g", v), Numeric: true}
}

// digits is the format that shows four digits, and all before the point.
func digits(v float64) string {
	if v >= 1000 {
		return "%.0f"
	}
	return "%.4g"
}

//go:embed page/page.html
var pageHTML string

//go:embed page/style.css
var style string

//go:embed page/script.js
var script string

// Write writes the page.
func (r *Report) Write(out io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(style) },
		"script": func() template.JS { return template.JS(script) },
		"svg":    func(f *Figure) (template.HTML, error) { return f.SVG() },
		"stem":   func(name string) string { return strings.TrimSuffix(name, ".json") },
	}).Parse(pageHTML)
	if err != nil {
		return err
	}
	return t.Execute(out, r)
}

// PlotFormats are the formats of plots as files.
const PlotFormats = "svg, pdf, png, eps"

// CheckPlotFormat reports whether format is one of PlotFormats.
func CheckPlotFormat(format string) error {
	if slices.Contains(strings.Split(PlotFormats, ", "), format) {
		return nil
	}
	return fmt.Errorf("unknown plot format %q; the formats are %s", format, PlotFormats)
}

// SavePlots writes every figure to the folder dir, which it makes.
func (r *Report) SavePlots(dir, format string) error {
	if err := os.MkdirAll(dir, 0o755); err != nil {
		return err
	}
	for _, f := range r.Figures {
		if err := f.Save(filepath.Join(dir, f.Name+"."+format)); err != nil {
			return err
		}
	}
	return nil
}
