package report

import (
	"bytes"
	_ "embed"
	"encoding/base64"
	"errors"
	"fmt"
	"html/template"
	"io"
	"math"
	"os"
	"path/filepath"
	"slices"
	"strings"

	"rhinet/bench"
	"rhinet/bench/compare"
	"rhinet/internal/page"
)

// A Source is one result file: a comparison, the rows of a measurement, or
// runs of kernels with their timers on.
type Source struct {
	File   string // its base name
	Text   []byte
	Result *compare.Result // nil for the others

	rows    []row
	kernels []compare.KernelRun
}

// Load reads result files. A folder stands for the result files in it; other files there are ignored. It is
// an error if a folder has no result file, if a result file is damaged or of another version, or if a named
// file is not a result file.
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
			switch {
			case err == nil:
				found++
				sources = append(sources, s)
			case !info.IsDir() || !errors.Is(err, compare.ErrForeign):
				return nil, err
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
	if runs, ok := compare.ParseKernels(text); ok {
		s.kernels = runs
		return s, nil
	}
	if s.Result, err = compare.Read(file); err != nil {
		return s, err
	}
	switch {
	case len(s.Result.Samples) == 0:
		return s, fmt.Errorf("%s holds no measurement", file)
	case s.Result.Cost:
		return s, fmt.Errorf("%s says what flags of mpirun cost (bench cost programs); a report is of comparisons of runtimes", file)
	}
	return s, nil
}

// A Report is the page and its figures.
type Report struct {
	Title    string
	Verdict  string     // one sentence; "" if there are no peers
	Compared []Compared // what, where and when, for each comparison
	Matrix   *Matrix
	Parts    []*Part
	Figures  []*Figure // of all parts, each with a unique name
	Losses   []Loss    // of all comparisons, the worst first
}

// A Part is the part of the page about one source.
type Part struct {
	ID, File     string
	Head, Legend string
	Figures      []*Figure
	Groups       []Group
	Header       []string
	Rows         [][]Cell
	Fits         []Fit
	Counts       string
	Remarks      []string
	Links        []Link

	lines []compare.Line
}

// A Link is data to download.
type Link struct {
	File, Text string
	URL        template.URL
}

func link(file, mime, text string, data []byte) Link {
	return Link{file, text, template.URL("data:" + mime + ";base64," + base64.StdEncoding.EncodeToString(data))}
}

// A Cell is one cell of a table: the text, and the key for sorting.
type Cell struct {
	Text    string
	Key     string
	Class   string
	Href    string // an anchor in the page
	Numeric bool
	Columns int  // number of columns, if more than one
	First   bool // first cell of a number of ranks
}

func stem(file string) string { return strings.TrimSuffix(file, ".json") }

// New makes a report from the sources.
func New(title string, sources []Source) (*Report, error) {
	r := &Report{Title: title}
	var rows, kernels []Source
	var results []*compare.Result
	for i, s := range sources {
		switch {
		case s.rows != nil:
			rows = append(rows, s)
			continue
		case s.kernels != nil:
			kernels = append(kernels, s)
			continue
		}
		id := "set-" + file(stem(s.File))
		if slices.ContainsFunc(r.Parts, func(p *Part) bool { return p.ID == id }) {
			id = fmt.Sprintf("%s-%d", id, i)
		}
		p, err := newPart(id, s)
		if err != nil {
			return nil, fmt.Errorf("%s: %w", s.File, err)
		}
		r.Parts, results = append(r.Parts, p), append(results, s.Result)
	}
	if list := sets(r.Parts, results); len(list) > 0 {
		r.Verdict, r.Compared, r.Matrix = verdict(list), compared(list), matrix(list)
		for _, s := range list {
			r.Losses = append(r.Losses, losses(s)...)
		}
		worstFirst(r.Losses)
	}
	if len(rows) > 0 {
		p, err := levels("levels", rows)
		if err != nil {
			return nil, err
		}
		r.Parts = append(r.Parts, p)
	}
	if len(kernels) > 0 {
		r.Parts = append(r.Parts, waits("waiting", kernels))
	}
	r.collect()
	return r, nil
}

// collect gives every figure a unique name.
func (r *Report) collect() {
	names := map[string]bool{}
	for _, p := range r.Parts {
		for _, f := range p.all() {
			for n, plain := 1, f.Name; names[f.Name]; n++ {
				f.Name = fmt.Sprintf("%s-%s", stem(p.File), plain)
				if n > 1 {
					f.Name = fmt.Sprintf("%s-%d", f.Name, n)
				}
			}
			names[f.Name] = true
			r.Figures = append(r.Figures, f)
		}
	}
}

// all returns the figures of a part, in groups or not.
func (p *Part) all() []*Figure {
	figures := slices.Clone(p.Figures)
	for _, g := range p.Groups {
		figures = append(figures, g.Figures...)
	}
	return figures
}

func newPart(id string, s Source) (p *Part, err error) {
	res := s.Result
	p = &Part{ID: id, File: s.File, Head: res.Host.String(), Legend: res.Legend(), Remarks: res.Remarks(), lines: res.Compared()}
	p.Fits = fits(res.Runtimes, p.lines)
	if p.Figures, err = kernelBars(res, p.lines); err != nil {
		return nil, err
	}
	if p.Groups, err = groups(id, res, p.lines); err != nil {
		return nil, err
	}
	p.table(res)
	var table, samples bytes.Buffer
	if err := res.Write(&table, "csv"); err != nil {
		return nil, err
	}
	if err := res.Write(&samples, "go"); err != nil {
		return nil, err
	}
	p.Links = []Link{
		link(s.File, "application/json", "JSON", s.Text),
		link(stem(s.File)+".csv", "text/csv", "CSV", table.Bytes()),
		link(stem(s.File)+".txt", "text/plain", "for benchstat", samples.Bytes()),
	}
	return p, nil
}

// table fills the rows, and counts the verdicts.
func (p *Part) table(res *compare.Result) {
	p.Header = res.Header()
	p.Header[2] = "size" // with its unit
	var count compare.Tally
	for _, l := range p.lines {
		row := []Cell{{Text: l.Test}, number(float64(l.Ranks)), size(l.Bytes)}
		for i, m := range l.Medians {
			c := unitOf(l.Unit).cell(m)
			if res.Slow(i, l) {
				c.Text = "too slow"
			}
			row = append(row, c)
		}
		for _, r := range res.Shown(l) {
			c := ratioCell(timeRatio(r, l.Rate()))
			if r.Pairs > 0 {
				c.Text, c.Key = r.String()+" "+r.Verdict(l.Rate()), fmt.Sprintf("%g", r.Median)
			}
			row = append(row, c)
		}
		p.Rows = append(p.Rows, row)
		count.Add(l.Best(), l.Rate())
	}
	if len(res.Peers()) > 0 {
		p.Counts = fmt.Sprintf("%s against the faster of %s: of %d cells %s.", res.Runtimes[0], strings.Join(res.Peers(), " and "), len(p.lines), count)
	}
}

// cell returns a figure in unit u as a cell of a table.
func (u unit) cell(v float64) Cell {
	c := number(v)
	c.Text = u.text(v)
	return c
}

// size returns a message size as a cell of a table; the cell is empty for a test without sizes.
func size(bytes int) Cell {
	c := number(float64(bytes))
	if c.Text = bytesText(bytes); bytes == 0 {
		c.Text = ""
	}
	return c
}

// number returns a cell that is sorted by its value and shows the digits before the point.
func number(v float64) Cell {
	if math.IsNaN(v) {
		return Cell{Text: "-", Numeric: true}
	}
	return Cell{Text: fmt.Sprintf("%.0f", v), Key: fmt.Sprintf("%g", v), Numeric: true}
}

//go:embed page/page.html
var pageHTML string

// The beginnings by which pages are recognised: as Write writes them now, and as it did before it had the
// generator line.
const (
	pageBegins = "<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n"
	pageMarker = "<meta name=\"generator\" content=\"rhinet bench report\">\n"
	pageBefore = "</title>\n<link rel=\"icon\" href=\"data:,\">\n<style>:root { --back: "
)

// IsPage reports whether a file that begins with head is a page written by Write.
func IsPage(head string) bool {
	rest, begins := strings.CutPrefix(head, pageBegins)
	return begins && (strings.HasPrefix(rest, pageMarker) || strings.Contains(rest, pageBefore))
}

// PageFile describes the file of a page, so that it can be checked before there is a page.
func PageFile(file string) bench.Kept {
	return bench.Kept{File: file, Kind: "report of bench report", Is: IsPage}
}

// Write writes the page.
func (r *Report) Write(out io.Writer) error {
	t, err := template.New("page").Funcs(template.FuncMap{
		"style":  func() template.CSS { return template.CSS(page.Style) },
		"script": func() template.JS { return template.JS(page.Script) },
		"svg":    func(f *Figure) (template.HTML, error) { return f.SVG() },
		"stem":   stem,
		"row":    rowID,
		"time":   times.text,
		"rate":   rates.text,
		"size":   messages.text,
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

// SavePlots writes every figure to the folder dir, which it creates. If a file there is not a plot, it
// returns an error and writes nothing.
func (r *Report) SavePlots(dir, format string) error {
	if err := bench.MakeFolder(dir); err != nil {
		return err
	}
	place := func(f *Figure) string { return filepath.Join(dir, f.Name+"."+format) }
	for _, f := range r.Figures { // before there is one
		if err := (bench.Kept{File: place(f), Kind: "plot", Is: isPlot}).Check(); err != nil {
			return err
		}
	}
	for _, f := range r.Figures {
		if err := f.Save(place(f)); err != nil {
			return err
		}
	}
	return nil
}

// isPlot reports whether a file that begins with head may be an earlier plot: only the SVG format names its
// author.
func isPlot(head string) bool {
	return strings.Contains(head, "Plotinum VG") || strings.HasPrefix(head, "%PDF-") || strings.HasPrefix(head, "\x89PNG") ||
		strings.HasPrefix(strings.TrimLeft(head, "%"), "!PS-Adobe")
}
